import type { ComparedFile } from './comparison.ts';

/**
 * Walks over the groups of changed lines of one file. Between any two lines that are not changed, and at both ends, there
 * is a group; most are empty. Groups of two compared files pair up one to one.
 */
export class LineGroup {
  readonly #file: ComparedFile;
  /** First line of the group. */
  start = 0;
  /** First line behind it; `start` when the group is empty. */
  end = 0;

  constructor(file: ComparedFile) {
    this.#file = file;
    this.#extendDown();
  }

  get isEmpty(): boolean {
    return this.start === this.end;
  }

  get size(): number {
    return this.end - this.start;
  }

  /** @returns whether there was one. */
  next(): boolean {
    if (this.end === this.#file.lines.length) return false;
    this.start = this.end + 1;
    this.end = this.start;
    this.#extendDown();
    return true;
  }

  previous(): boolean {
    if (this.start === 0) return false;
    this.end = this.start - 1;
    this.start = this.end;
    this.#extendUp();
    return true;
  }

  /**
   * Moves the group one line down, which the first line of it must allow by being equal to the one behind it. Takes in the
   * group that it then touches.
   *
   * @returns whether it moved.
   */
  slideDown(): boolean {
    const { lines, changed } = this.#file;
    if (this.end >= lines.length || lines[this.start] !== lines[this.end]) return false;
    changed[this.start++] = 0;
    changed[this.end++] = 1;
    this.#extendDown();
    return true;
  }

  /** As `slideDown`, the other way. */
  slideUp(): boolean {
    const { lines, changed } = this.#file;
    if (this.start === 0 || lines[this.start - 1] !== lines[this.end - 1]) return false;
    changed[--this.start] = 1;
    changed[--this.end] = 0;
    this.#extendUp();
    return true;
  }

  #extendDown(): void {
    while (this.#file.changed[this.end]) this.end++;
  }

  #extendUp(): void {
    while (this.#file.changed[this.start - 1]) this.start--;
  }
}
