import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import { GitError } from '@cleveragents/git-ports';
import { hasCode, messageOf } from '@cleveragents/shared-kernel';
import { fileSystemError, namesIn, statIfThere } from './file-access.ts';
import { PackFile } from './pack-file.ts';
import type { StoredObject } from './stored-object.ts';

/** Two changes of a folder so close may bear one time stamp. */
const CLOCK_TICK_MS = 20;
const FRESH_MS = 60_000;

interface KnownPack {
  readonly file: PackFile;
  freshenedMs: number;
}

/** All packs of an `objects` folder, those included that `git gc` adds while we run. */
export class PackStore {
  readonly #directory: string;
  readonly #readElsewhere: (id: ObjectId) => StoredObject;
  readonly #packs = new Map<string, KnownPack>();
  #listed: { readonly stamp: bigint; readonly atMs: number } | null = null;

  constructor(objectsDirectory: string, readElsewhere: (id: ObjectId) => StoredObject) {
    this.#directory = join(objectsDirectory, 'pack');
    this.#readElsewhere = readElsewhere;
  }

  /** @param fresh looks whether packs were added since; without it, only in those that are known. */
  has(id: ObjectId, fresh: boolean): boolean {
    return this.#find(id, fresh) !== null;
  }

  read(id: ObjectId, fresh: boolean): StoredObject | null {
    const found = this.#find(id, fresh);
    if (found === null) return null;
    try {
      return found[1].file.read(id);
    } catch (cause) {
      if (cause instanceof GitError) throw cause;
      throw damaged(join(this.#directory, found[0]), cause);
    }
  }

  /** Marks the pack as in use, so that `git gc` keeps what nothing refers to yet. False when the object is in no pack. */
  freshen(id: ObjectId): boolean {
    const found = this.#find(id, false);
    if (found === null) return false;
    const [name, pack] = found;
    const path = join(this.#directory, `${name}.pack`);
    const now = Date.now();
    // still readable for us, a pack may be gone for everybody else
    if (now - pack.freshenedMs < FRESH_MS) return statIfThere(path) !== null;
    try {
      utimesSync(path, now / 1000, now / 1000);
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'EPERM', 'EACCES', 'EROFS'))
        throw fileSystemError('cannot touch a pack', error);
      return false;
    }
    pack.freshenedMs = now;
    return true;
  }

  #find(id: ObjectId, fresh: boolean): readonly [string, KnownPack] | null {
    if (this.#listed === null || fresh) this.#refresh();
    for (const entry of this.#packs) if (entry[1].file.has(id)) return entry;
    return null;
  }

  #refresh(): void {
    const stamp = statSync(this.#directory, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n;
    const settled = this.#listed !== null && Number(stamp / 1_000_000n) < this.#listed.atMs - CLOCK_TICK_MS;
    if (settled && this.#listed?.stamp === stamp) return;
    this.#listed = { stamp, atMs: Date.now() };
    const names = new Set(namesIn(this.#directory));
    for (const [name, pack] of this.#packs) if (!names.has(`${name}.pack`)) this.#forget(name, pack);
    for (const entry of names) {
      const name = entry.slice(0, -'.idx'.length);
      if (entry.endsWith('.idx') && names.has(`${name}.pack`) && !this.#packs.has(name)) this.#add(name);
    }
  }

  #add(name: string): void {
    const path = join(this.#directory, name);
    try {
      this.#packs.set(name, { file: new PackFile(path, this.#readElsewhere), freshenedMs: 0 });
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return; // repacked since it was listed
      throw error instanceof RangeError
        ? damaged(path, error)
        : fileSystemError(`cannot read ${path}`, error);
    }
  }

  #forget(name: string, pack: KnownPack): void {
    this.#packs.delete(name);
    pack.file.close();
  }

  close(): void {
    for (const [name, pack] of this.#packs) this.#forget(name, pack);
    this.#listed = null;
  }
}

function damaged(path: string, cause: unknown): GitError {
  return new GitError('GIT_CORRUPT', `${path}.pack is damaged: ${messageOf(cause)}`, {
    hint: 'Run `git fsck`; objects that another clone has can be fetched again.',
    data: { path: `${path}.pack` },
    cause,
  });
}
