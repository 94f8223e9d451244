import { statfsSync, type Stats, statSync } from 'node:fs';
import { hasCode } from '@cleveragents/shared-kernel';

/** A network's or a foreign file system's times may be coarse, and its clock another one. */
const UNKNOWN_SLACK_MS = 2000;
/** Where the kernel itself sets the times they lag at most one of its ticks behind its clock, which is ours. */
const LOCAL_SLACK_MS = 50;
/** What Linux says in `statfs` of ext2 to ext4, xfs, btrfs, tmpfs, overlayfs, f2fs, zfs and bcachefs. */
const LOCAL_TYPES: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
]);

/** What times tell, as good as the file system keeps them, in a look that began at a certain moment. */
export class TimesOf {
  readonly #device: number;
  readonly #isLocal: boolean;
  readonly #startedAtMs: number;

  constructor(root: string, startedAtMs: number) {
    this.#device = statSync(root).dev;
    this.#isLocal = hasLocalTimes(root);
    this.#startedAtMs = startedAtMs;
  }

  /** Whatever changes it from now on leaves other times: so equal ones will mean that it is the same. */
  areSettled(status: Stats): boolean {
    const slack = this.#isOfThisKernel(status) ? LOCAL_SLACK_MS : UNKNOWN_SLACK_MS;
    return Math.max(status.mtimeMs, status.ctimeMs) <= this.#startedAtMs - slack;
  }

  /** The same of the names in a directory, whose times some foreign file systems do not keep at all. */
  tellNames(directory: Stats): boolean {
    return this.#isOfThisKernel(directory) && this.areSettled(directory);
  }

  /** Something else may be mounted below the root. */
  #isOfThisKernel({ dev }: Stats): boolean {
    return this.#isLocal && dev === this.#device;
  }
}

/** Whether the kernel of this machine sets the times of what lies there, so that they can be relied on to the tick. */
function hasLocalTimes(root: string): boolean {
  try {
    return process.platform === 'linux' && LOCAL_TYPES.has(statfsSync(root).type);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOSYS', 'EACCES', 'EPERM', 'EIO')) return false;
    throw error;
  }
}
