import type { Stats } from 'node:fs';

/** Something below the root that was reached, proven to lie there, and is held. */
export interface Pin {
  /** What to hand to the system in its place: still the same thing when its names have changed, as far as the form goes. */
  readonly address: string;
  /** Where it lies below the root: POSIX, `''` for the root. */
  readonly path: string;
  readonly stats: Stats;
  release(): void;
}

/** One way to reach things below a root without being led out of it. */
export interface Pinning {
  readonly confinement: 'pinned' | 'checked';
  /**
   * Follows links. Throws `PATH_TRAVERSAL` if they lead out; the system's error, `ENOENT` above all, if it cannot be
   * reached.
   * @param from where `path` begins; the root by default
   */
  reach(path: string, from?: Pin): Pin;
  /** The entry itself, also when it is a link. */
  reachEntry(name: string, from: Pin): Pin;
  /** A descriptor on the same regular file or directory, for reading. */
  openForReading(pin: Pin): number;
  /** The same for a file named in a pinned directory; a link is an `ELOOP`. Never blocks. */
  openChild(name: string, directory: Pin): number;
  /** Whether a pin's address means the same in every thread of this process. */
  readonly isForAllThreads: boolean;
}
