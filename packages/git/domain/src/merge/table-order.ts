import { encodeUtf8 } from '../bytes.ts';

const FIRST_SIZE = 64;
const GROWTH = 4;
const FULL_PERCENT = 80;

/**
 * The order in which git's hash table would give back paths that were put into it one after the other. Where two files are
 * as good a match for a rename, git takes the one that it meets first; this is how the same one is met first here.
 */
export function inTableOrder(paths: readonly string[]): readonly string[] {
  let buckets = emptyBuckets(FIRST_SIZE);
  paths.forEach((path, count) => {
    put(buckets, path);
    if (count + 1 <= Math.floor((buckets.length * FULL_PERCENT) / 100)) return;
    const larger = emptyBuckets(buckets.length * GROWTH);
    for (const other of buckets.flat()) put(larger, other);
    buckets = larger;
  });
  return buckets.flat();
}

function emptyBuckets(size: number): string[][] {
  return Array.from({ length: size }, () => []);
}

function put(buckets: readonly string[][], path: string): void {
  buckets[hashOf(path) & (buckets.length - 1)]?.unshift(path);
}

/** FNV-1, 32 bits. */
function hashOf(path: string): number {
  return encodeUtf8(path).reduce((hash, byte) => Math.imul(hash, 0x01000193) ^ byte, 0x811c9dc5) >>> 0;
}
