/** One of two files under comparison: its lines as numbers, and which of them have no counterpart in the other. */
export interface ComparedFile {
  /** Equal lines have equal numbers in both files. */
  readonly lines: Int32Array;
  /** 1 where a line is deleted (in the file before) or inserted (in the file after). */
  readonly changed: Uint8Array;
}

/** A part of two files: from line `start` up to but not including `end` of each. */
export interface Box {
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly afterStart: number;
  readonly afterEnd: number;
}

/** A power of two near the square root, as git estimates it for its limits. */
export function roughSquareRoot(value: number): number {
  let root = 1;
  for (let rest = value; rest > 0; rest >>= 2) root <<= 1;
  return root;
}
