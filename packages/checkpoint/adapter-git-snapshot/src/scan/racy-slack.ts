import { statfsSync } from 'node:fs';
import { hasCode } from '@cleveragents/shared-kernel';

/** A network's or a foreign file system's times may be coarse, and its clock another one. */
const UNKNOWN_SLACK_MS = 2000;
/** Where the kernel itself sets the times they lag at most one of its ticks behind its clock, which is ours. */
const LOCAL_SLACK_MS = 50;
/** What Linux says in `statfs` of ext2 to ext4, xfs, btrfs, tmpfs, overlayfs, f2fs, zfs and bcachefs. */
const LOCAL_TYPES: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
]);

/**
 * How long before a look a file must have changed last, so that its times tell whether it changes again: an entry that is
 * younger is read again by the next look.
 */
export function racySlackMs(root: string): number {
  try {
    return process.platform === 'linux' && LOCAL_TYPES.has(statfsSync(root).type)
      ? LOCAL_SLACK_MS
      : UNKNOWN_SLACK_MS;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOSYS', 'EACCES', 'EPERM', 'EIO')) return UNKNOWN_SLACK_MS;
    throw error;
  }
}
