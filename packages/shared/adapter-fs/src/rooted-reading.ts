import type { Stats } from 'node:fs';
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { FileStatus, WalkEntry } from '@cleveragents/shared-kernel';
import { rootedFileError } from '@cleveragents/shared-kernel';
import type { SystemCalls } from './rooted-calls.ts';
import type { Pin, Pinning } from './rooted-pinning.ts';

const CHUNK_BYTES = 256 * 1024;
/** Other work of this process gets its turn after this many bytes. */
const YIELD_BYTES = 8 * 1024 * 1024;

export function statusOf({ path, stats }: Pin): FileStatus {
  const type = stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
  return { path, type, size: type === 'file' ? stats.size : 0, mode: stats.mode & 0o777 };
}

export function entryTypeOf(stats: Stats): WalkEntry['type'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

/** @throws RootedFileError `NOT_A_REGULAR_FILE` */
export function refuseUnlessFile(raw: string, { stats }: Pin): void {
  if (stats.isFile()) return;
  const problem = stats.isDirectory() ? 'is a directory, not a regular file' : 'is not a regular file';
  throw rootedFileError('NOT_A_REGULAR_FILE', raw, problem);
}

/** All bytes of a file, however its size changes meanwhile, or `undefined` when there are more than `maxBytes`. */
export function readWhole(
  descriptor: number,
  expectedBytes: number,
  maxBytes: number,
  calls: SystemCalls,
): Uint8Array | undefined {
  if (expectedBytes > maxBytes) return undefined;
  // One byte more than expected: a short read tells the end, a full one that the file has grown.
  let buffer = Buffer.allocUnsafe(Math.max(expectedBytes + 1, 4096));
  let length = 0;
  for (;;) {
    const count = calls.read(descriptor, buffer, length, buffer.length - length);
    if (count === 0) return buffer.subarray(0, length);
    length += count;
    if (length > maxBytes) return undefined;
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(length * 2, maxBytes + 1));
  }
}

export async function* readInChunks(
  pin: Pin,
  pinning: Pinning,
  calls: SystemCalls,
): AsyncGenerator<Uint8Array, void, undefined> {
  const descriptor = pinning.openForReading(pin);
  try {
    for (let sinceYield = 0; ;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const count = calls.read(descriptor, chunk, 0, CHUNK_BYTES);
      if (count === 0) return;
      yield chunk.subarray(0, count);
      sinceYield += count;
      if (sinceYield < YIELD_BYTES) continue;
      sinceYield = 0;
      await setImmediate();
    }
  } finally {
    calls.close(descriptor);
  }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** `null` for more than `maxBytes`, which ends the reading. */
export async function sha256OfChunks(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<string | null> {
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) return null;
    hash.update(chunk);
  }
  return hash.digest('hex');
}
