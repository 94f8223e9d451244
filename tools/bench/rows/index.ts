import type { RowFile } from '../row.ts';
import { startUp } from './start-up.ts';

/** In the order of their numbers. */
export const rowFiles: readonly RowFile[] = [startUp];
