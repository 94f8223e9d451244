import type { RowFile } from '../row.ts';
import { pathRewriting } from './path-rewriting.ts';
import { sandboxCleanup, sandboxCommit, sandboxCreation } from './sandbox-life.ts';
import { startUp } from './start-up.ts';

/** In the order of their numbers. */
export const rowFiles: readonly RowFile[] = [
  sandboxCreation,
  sandboxCommit,
  sandboxCleanup,
  pathRewriting,
  startUp,
];
