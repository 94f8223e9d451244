import { randomBytes } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { constants, deflateSync, inflateSync } from 'node:zlib';
import type { ObjectId } from '@cleveragents/git-domain';
import { GitError } from '@cleveragents/git-ports';
import { hasCode, messageOf } from '@cleveragents/shared-kernel';
import { fileSystemError } from './file-access.ts';
import { isObjectType, objectHeader, type ObjectType, type StoredObject } from './stored-object.ts';

/** Most of what is written is small and soon packed: time counts, not size. */
const LEVEL = constants.Z_BEST_SPEED;
const FLUSHED_AT_ONCE = 32;

/** Objects that have a file each. */
export class LooseObjects {
  readonly #directory: string;
  readonly #unflushed = new Set<string>();

  constructor(objectsDirectory: string) {
    this.#directory = objectsDirectory;
  }

  has(id: ObjectId): boolean {
    return statSync(this.#path(id), { throwIfNoEntry: false }) !== undefined;
  }

  /** Null when there is none. @throws GitError `GIT_CORRUPT`, `GIT_FILE_SYSTEM`. */
  read(id: ObjectId): StoredObject | null {
    const path = this.#path(id);
    let stored: Buffer;
    try {
      stored = readFileSync(path);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      throw fileSystemError(`cannot read ${path}`, error);
    }
    try {
      return parse(inflateSync(stored));
    } catch (cause) {
      throw new GitError('GIT_CORRUPT', `object ${id} is damaged: ${messageOf(cause)}`, {
        hint: 'Run `git fsck`; an object that another clone has can be fetched again.',
        data: { id, path },
        cause,
      });
    }
  }

  /** Marks the object as in use, so that `git gc` does not prune it. False when there is none, or it is not ours to mark. */
  freshen(id: ObjectId): boolean {
    const now = Date.now() / 1000;
    try {
      utimesSync(this.#path(id), now, now);
      return true;
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'EPERM', 'EACCES', 'EROFS')) return false;
      throw fileSystemError(`cannot touch ${this.#path(id)}`, error);
    }
  }

  /** The name appears with the whole content or not at all. */
  write(id: ObjectId, type: ObjectType, bytes: Uint8Array): void {
    const path = this.#path(id);
    // git clears away what begins so when it is old
    const temporary = join(dirname(path), `tmp_obj_${randomBytes(6).toString('hex')}`);
    try {
      fill(temporary, deflated(type, bytes));
      renameSync(temporary, path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw fileSystemError(`cannot write object ${id}`, error);
    }
    this.#unflushed.add(path);
  }

  async flush(): Promise<void> {
    const paths = [...this.#unflushed];
    this.#unflushed.clear();
    const all = [...paths, ...new Set(paths.map(dirname))];
    for (let at = 0; at < all.length; at += FLUSHED_AT_ONCE)
      await Promise.all(all.slice(at, at + FLUSHED_AT_ONCE).map(sync));
  }

  #path(id: ObjectId): string {
    return `${this.#directory}/${id.slice(0, 2)}/${id.slice(2)}`;
  }
}

function deflated(type: ObjectType, bytes: Uint8Array): Buffer {
  const content = Buffer.concat([objectHeader(type, bytes.length), bytes]);
  return deflateSync(content, { level: LEVEL, chunkSize: Math.max(64, content.length + 64) });
}

function fill(path: string, bytes: Buffer): void {
  const descriptor = openNew(path);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
  } finally {
    closeSync(descriptor);
  }
}

function openNew(path: string): number {
  for (let attempt = 1; ; attempt++) {
    try {
      return openSync(path, 'wx', 0o444);
    } catch (error) {
      // git removes empty folders of objects when it packs
      if (!hasCode(error, 'ENOENT') || attempt > 10) throw error;
      mkdirSync(dirname(path), { recursive: true });
    }
  }
}

async function sync(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    // packed meanwhile, by a git that made it durable; some network file systems know no fsync of a folder
    if (!hasCode(error, 'ENOENT', 'EINVAL', 'ENOTSUP')) throw fileSystemError(`cannot flush ${path}`, error);
  }
}

function parse(content: Buffer): StoredObject {
  const end = content.indexOf(0);
  const [type = '', size] = content.toString('latin1', 0, Math.max(end, 0)).split(' ');
  const bytes = content.subarray(end + 1);
  if (!isObjectType(type) || Number(size) !== bytes.length) throw new Error('its header is wrong');
  return { type, bytes };
}
