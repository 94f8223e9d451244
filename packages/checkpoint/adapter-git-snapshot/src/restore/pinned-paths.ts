import { PinnedDirectory } from '../scan/pinned-path.ts';

const MOST_PINS = 256;

/** Addresses of paths below a root, each through its pinned parent: a link on the way is a refusal, never followed. */
export class PinnedPaths {
  readonly #pins = new Map<string, PinnedDirectory>();

  constructor(root: string) {
    this.#pins.set('', new PinnedDirectory(root));
  }

  /** @throws the system's error when a parent is missing, or is no directory itself. */
  addressOf(path: string): string {
    const slash = path.lastIndexOf('/');
    return this.directory(slash < 0 ? '' : path.slice(0, slash)).address + path.slice(slash + 1);
  }

  directory(path: string): PinnedDirectory {
    const known = this.#pins.get(path);
    if (known !== undefined) return known;
    const pin = new PinnedDirectory(this.addressOf(path));
    if (this.#pins.size >= MOST_PINS) this.#closeBelow('');
    this.#pins.set(path, pin);
    return pin;
  }

  /** A directory at this path came or went. */
  forget(path: string): void {
    this.#pins.get(path)?.close();
    this.#pins.delete(path);
    this.#closeBelow(`${path}/`);
  }

  close(): void {
    for (const pin of this.#pins.values()) pin.close();
    this.#pins.clear();
  }

  #closeBelow(prefix: string): void {
    for (const [path, pin] of this.#pins) {
      if (path === '' || !path.startsWith(prefix)) continue;
      pin.close();
      this.#pins.delete(path);
    }
  }
}
