import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  type Dirent,
  readdirSync,
  readlinkSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { hasCode, withReadablePaths } from '@cleveragents/shared-kernel';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const canAddressByDescriptor = process.platform === 'linux' && existsSync('/proc/self/fd');

/**
 * A folder held open. On Linux its entries are reached through it, wherever its name leads meanwhile: a folder that
 * somebody swaps for a link leads nobody out.
 */
export class PinnedFolder {
  readonly descriptor: number;
  readonly #base: string;

  private constructor(descriptor: number, path: string) {
    this.descriptor = descriptor;
    this.#base = canAddressByDescriptor ? `/proc/self/fd/${descriptor}` : path;
  }

  /** @throws the system's error: `ENOTDIR` or `ELOOP` when the path does not name a folder itself. */
  static open(path: string): PinnedFolder {
    return readably(() => new PinnedFolder(openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path));
  }

  /** The folder below `root` that holds `path`; what stands for a folder on the way must be one, and no link. */
  static openParent(root: string, path: string): PinnedFolder {
    let folder = PinnedFolder.open(root);
    for (const name of path.split('/').slice(0, -1)) {
      const outer = folder;
      try {
        folder = outer.enter(name);
      } finally {
        outer.close();
      }
    }
    return folder;
  }

  enter(name: string): PinnedFolder {
    return PinnedFolder.open(this.address(name));
  }

  address(name: string): string {
    return `${this.#base}/${name}`;
  }

  stat(name: string): Stats | null {
    return readably(() => statIfThere(this.address(name)));
  }

  /** Never follows a link, never waits for the other end of a pipe. */
  openFile(name: string): number {
    return readably(() => openSync(this.address(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  }

  /**
   * Names in the order of their characters.
   * @param strange called with each name that is no UTF-8, as far as it can be shown; such a name is left out.
   */
  names(strange: (shown: string) => void): readonly string[] {
    const names = readably(() => readdirSync(this.#base)).sort();
    const known = names.some(isDoubtful) ? this.#knownNames(strange) : null;
    return known === null ? names : names.filter((name) => known.has(name));
  }

  /** The same, with what kind of thing bears the name. */
  entries(strange: (shown: string) => void): readonly Dirent[] {
    const entries = readably(() => readdirSync(this.#base, { withFileTypes: true }));
    const known = entries.some(({ name }) => isDoubtful(name)) ? this.#knownNames(strange) : null;
    return entries
      .filter(({ name }) => known === null || known.has(name))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  #knownNames(strange: (shown: string) => void): ReadonlySet<string> {
    const known = new Set<string>();
    for (const bytes of readdirSync(this.#base, { encoding: 'buffer' })) {
      const name = bytes.toString();
      if (Buffer.from(name).equals(bytes)) known.add(name);
      else strange(bytes.toString('latin1'));
    }
    return known;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/** Runs `work` below folders that are held open; what the system refuses is said of their paths. */
export function readably<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw withReadablePaths(error, (address) => readlinkSync(address));
  }
}

/** Whether a name may stand for bytes that are no UTF-8. */
function isDoubtful(name: string): boolean {
  return name.includes('\uFFFD');
}

/** The name of a path's last part. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function below(folder: string, name: string): string {
  return folder === '' ? name : join(folder, name);
}

/** Of what lies at a path itself, also of a link; null for nothing. */
export function statIfThere(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (hasCode(error, 'ENOTDIR')) return null; // what should be a folder on the way is a file
    throw error;
  }
}
