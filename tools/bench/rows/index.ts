import type { RowFile } from '../row.ts';
import { pathRewriting } from './path-rewriting.ts';
import { startUp } from './start-up.ts';

/** In the order of their numbers. */
export const rowFiles: readonly RowFile[] = [pathRewriting, startUp];
