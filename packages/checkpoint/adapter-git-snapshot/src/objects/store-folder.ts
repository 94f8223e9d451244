import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObjectId, type ObjectId } from '@cleveragents/git-domain';
import {
  type Durability,
  replaceFile,
  sweepTemporaryFiles,
  syncFolder,
} from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import { PackedRefs } from './packed-refs.ts';

const CONFIG = `[core]
	repositoryformatversion = 0
	bare = true
	filemode = true
[gc]
	auto = 0
[maintenance]
	auto = false
`;

/** What the store remembers beside its objects. Whoever changes it holds the store's lock. */
export interface StoreState {
  /** Grows with every sweep: what was known to be there may be gone. */
  readonly generation: number;
  /** About how many bytes nobody needs any more since the last sweep; greater than 0 as soon as a snapshot was released. */
  readonly garbageBytes: number;
  /** How large the objects were when that was last looked at. */
  readonly storedBytes: number;
}

const FRESH: StoreState = { generation: 0, garbageBytes: 0, storedBytes: 0 };

/** `snapshots`: what a checkpoint may restore. `caches`: the last state of each tree that was looked at. */
export type RefKind = 'snapshots' | 'caches';

/** The folder of a bare repository that is ours alone: refs, state, layout. Real git can read it. */
export class StoreFolder {
  readonly path: string;
  readonly #durability: Durability;
  readonly #packedRefs: PackedRefs;

  constructor(path: string, durability: Durability) {
    this.path = path;
    this.#durability = durability;
    this.#packedRefs = new PackedRefs(path, durability);
  }

  get objectsPath(): string {
    return join(this.path, 'objects');
  }

  get lockPath(): string {
    return `${this.path}.lock`;
  }

  cachePath(rootKey: string): string {
    return join(this.path, 'stat-caches', `${rootKey}.jsonl`);
  }

  /** Makes what is missing. `HEAD` last: without it git sees no repository. */
  create(): void {
    if (existsSync(join(this.path, 'HEAD'))) return;
    for (const folder of [
      'objects/pack',
      'objects/info',
      'refs/heads',
      'refs/snapshots',
      'refs/caches',
      'stat-caches',
    ])
      mkdirSync(join(this.path, folder), { recursive: true, mode: 0o700 });
    this.#write('config', CONFIG);
    this.#write('HEAD', 'ref: refs/heads/none\n');
  }

  readRef(kind: RefKind, name: string): ObjectId | null {
    if (!isRefName(name)) return null;
    const value = readIfThere(join(this.path, 'refs', kind, name))?.trim() ?? '';
    return isObjectId(value) ? value : this.#packedRefs.read(kind, name);
  }

  writeRef(kind: RefKind, name: string, id: ObjectId): void {
    this.#write(join('refs', kind, name), `${id}\n`);
  }

  /** Returns whether there was one, also one that says nothing. */
  deleteRef(kind: RefKind, name: string): boolean {
    const path = join(this.path, 'refs', kind, name);
    if (this.readRef(kind, name) === null && !(isRefName(name) && isFile(path))) return false;
    this.#packedRefs.remove(kind, name);
    rmSync(path, { force: true });
    return true;
  }

  /** What was last seen of a tree. */
  dropCache(key: string): void {
    this.deleteRef('caches', key);
    rmSync(this.cachePath(key), { force: true });
  }

  /** What has no name of ours lies there by chance, or by a crash. */
  listRefNames(kind: RefKind): readonly string[] {
    const loose = namesIn(join(this.path, 'refs', kind)).filter(isRefName);
    return [...new Set([...loose, ...this.#packedRefs.names(kind)])];
  }

  listRefs(kind: RefKind): readonly { readonly name: string; readonly id: ObjectId }[] {
    return this.listRefNames(kind).flatMap((name) => {
      const id = this.readRef(kind, name);
      return id === null ? [] : [{ name, id }];
    });
  }

  /** Those that killed processes left; what is swept of the objects is not looked at. */
  async sweepTemporaryFiles(): Promise<void> {
    for (const folder of ['', 'refs/snapshots', 'refs/caches', 'stat-caches', 'unclaimed', 'borrowed'])
      await sweepTemporaryFiles(join(this.path, folder));
  }

  /** What the objects take on disk. */
  objectBytes(): number {
    return bytesBelow(this.objectsPath);
  }

  readState(): StoreState {
    try {
      const state = JSON.parse(readIfThere(join(this.path, 'state.json')) ?? '{}') as Partial<StoreState>;
      return { ...FRESH, ...state };
    } catch (error) {
      // Not worth a failure: a lost count only means that the next sweep comes a little later.
      if (error instanceof SyntaxError) return FRESH;
      throw error;
    }
  }

  writeState(state: StoreState): void {
    this.#write('state.json', JSON.stringify(state));
  }

  #write(relative: string, text: string): void {
    const path = join(this.path, relative);
    replaceFile(path, [Buffer.from(text)], this.#durability, 0o600);
    syncFolder(dirname(path), this.#durability);
  }
}

const isRefName = (name: string): boolean => /^[0-9A-Za-z-]+$/.test(name);

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

export function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}

function bytesBelow(folder: string): number {
  let bytes = 0;
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status?.isDirectory() === true) bytes += bytesBelow(path);
    else bytes += status?.size ?? 0;
  }
  return bytes;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}
