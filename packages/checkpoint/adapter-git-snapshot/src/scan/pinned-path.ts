import { closeSync, constants, existsSync, openSync } from 'node:fs';

/** Missing from node:fs: open without any permission on the thing itself. The same number on every Linux that Node runs on. */
const O_PATH = 0o10000000;
const canAddressByDescriptor = process.platform === 'linux' && existsSync('/proc/self/fd');
const PINNING = constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * A directory held by descriptor, so that what is addressed through it lies in that very directory, also when an agent puts a
 * link in its place meanwhile. Where the system knows no such addresses it is a plain path.
 */
export class PinnedDirectory {
  /** Ends in a slash. */
  readonly address: string;
  /** The directory itself, also when nobody may enter it. */
  readonly self: string;
  readonly #descriptor: number | null;

  /** @throws the system's error: `ENOENT`, or `ENOTDIR`/`ELOOP` when there is no directory itself at `path`. */
  constructor(path: string) {
    this.#descriptor = canAddressByDescriptor ? openSync(path, O_PATH | PINNING) : openAndClose(path);
    this.self = this.#descriptor === null ? path : `/proc/self/fd/${this.#descriptor}`;
    this.address = `${this.self}/`;
  }

  enter(name: string): PinnedDirectory {
    return new PinnedDirectory(this.address + name);
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
  }
}

/** Refuses a link all the same. */
function openAndClose(path: string): null {
  closeSync(openSync(path, constants.O_RDONLY | PINNING));
  return null;
}

/** A directory that is pinned, from its parent on, only when something in it is to be opened. */
export class LazyPin {
  readonly #open: () => PinnedDirectory;
  #pinned: PinnedDirectory | undefined;

  constructor(open: () => PinnedDirectory) {
    this.#open = open;
  }

  static of(pinned: PinnedDirectory): LazyPin {
    const pin = new LazyPin(() => pinned);
    pin.#pinned = pinned;
    return pin;
  }

  below(name: string): LazyPin {
    return new LazyPin(() => this.get().enter(name));
  }

  /** @throws as {@link PinnedDirectory}. */
  get(): PinnedDirectory {
    this.#pinned ??= this.#open();
    return this.#pinned;
  }

  /** As a part of a path: ends in a slash. @throws as {@link PinnedDirectory}. */
  get address(): string {
    return this.get().address;
  }

  close(): void {
    this.#pinned?.close();
    this.#pinned = undefined;
  }
}
