import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import { join, sep } from 'node:path';
import { traversalRefused } from '@cleveragents/shared-kernel';
import type { SystemCalls } from './rooted-calls.ts';
import type { Pin, Pinning } from './rooted-pinning.ts';

/** macOS refuses, with this flag, a link anywhere in the path; other systems ignore or lack it. */
const O_NOFOLLOW_ANY = process.platform === 'darwin' ? 0x20000000 : 0;
const READING =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | O_NOFOLLOW_ANY;

/**
 * Resolves first, checks, uses the resolved path, and checks again where it can. Weaker than pinned paths: somebody who
 * swaps a directory for a link at the right moment, between two system calls, can be followed.
 */
export function checkedPaths(root: string, calls: SystemCalls): Pinning {
  const prefix = root.endsWith(sep) ? root : `${root}${sep}`;

  function relativeTo(place: string): string {
    if (place === root) return '';
    if (!place.startsWith(prefix)) throw traversalRefused();
    const relative = place.slice(prefix.length);
    return sep === '/' ? relative : relative.split(sep).join('/');
  }

  function openSame(address: string, expected?: Stats): number {
    const descriptor = calls.open(address, READING);
    try {
      const opened = calls.fstat(descriptor);
      if (expected !== undefined && (opened.ino !== expected.ino || opened.dev !== expected.dev))
        throw traversalRefused();
      if (calls.realpath(address) !== address) throw traversalRefused();
      return descriptor;
    } catch (error) {
      calls.close(descriptor);
      throw error;
    }
  }

  return {
    confinement: 'checked',
    // What is opened must be compared before it is read, which only this thread does.
    isForAllThreads: false,
    reach(path, from) {
      const start = from?.address ?? root;
      // The system resolves `link/..` through the link; joining would drop both. A trailing slash must still be a directory's.
      const place = calls.realpath(`${start}/${path}`);
      return pinAt(place, relativeTo(place), calls.lstat(place));
    },
    reachEntry(name, from) {
      if (calls.realpath(from.address) !== from.address) throw traversalRefused();
      const place = join(from.address, name);
      return pinAt(place, from.path === '' ? name : `${from.path}/${name}`, calls.lstat(place));
    },
    openForReading: (pin) => openSame(pin.address, pin.stats),
    openChild: (name, directory) => openSame(join(directory.address, name)),
  };
}

function pinAt(address: string, path: string, stats: Stats): Pin {
  return { address, path, stats, release: () => undefined };
}
