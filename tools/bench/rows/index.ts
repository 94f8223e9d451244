import type { RowFile } from '../row.ts';
import { checkpointMemory, checkpointStore } from './checkpoint-sizes.ts';
import { hintedCheckpoints, rollbacks, scannedCheckpoints } from './checkpoints.ts';
import { copyCleanup, copyCommit, copyCreation } from './file-copy-life.ts';
import { fileToolCalls, smallCalls } from './mcp-calls.ts';
import { pathRewriting } from './path-rewriting.ts';
import { sandboxCleanup, sandboxCommit, sandboxCreation } from './sandbox-life.ts';
import { startUp } from './start-up.ts';
import { textSearch } from './text-search.ts';

/** In the order of their numbers. */
export const rowFiles: readonly RowFile[] = [
  sandboxCreation,
  copyCreation,
  hintedCheckpoints,
  scannedCheckpoints,
  rollbacks,
  sandboxCommit,
  copyCommit,
  sandboxCleanup,
  copyCleanup,
  textSearch,
  fileToolCalls,
  pathRewriting,
  smallCalls,
  startUp,
  checkpointMemory,
  checkpointStore,
];
