import { lstatSync, readFileSync, statSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isObjectId, type ObjectId } from '@cleveragents/git-domain';
import { type Durability, writeNewFile } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import { storeCorrupt } from './store.errors.ts';

/** The refs that a `git gc` moved into one file. We write none there, but find ours and let go of them. */
export class PackedRefs {
  readonly #path: string;
  readonly #durability: Durability;
  #stamp = '';
  #refs: ReadonlyMap<string, ObjectId> = new Map();

  /** @param folder of the repository. */
  constructor(folder: string, durability: Durability) {
    this.#path = join(folder, 'packed-refs');
    this.#durability = durability;
  }

  read(kind: string, name: string): ObjectId | null {
    return this.#current().get(`refs/${kind}/${name}`) ?? null;
  }

  names(kind: string): readonly string[] {
    const prefix = `refs/${kind}/`;
    return [...this.#current().keys()]
      .filter((ref) => ref.startsWith(prefix))
      .map((ref) => ref.slice(prefix.length));
  }

  /** @throws CheckpointError `SNAPSHOT_STORE_CORRUPT` while a git holds the file's lock, or left it behind. */
  remove(kind: string, name: string): void {
    const ref = `refs/${kind}/${name}`;
    if (!this.#current().has(ref)) return;
    const lock = `${this.#path}.lock`;
    const lines = readFileSync(this.#path, 'utf8')
      .split('\n')
      .filter((line) => !line.endsWith(` ${ref}`));
    try {
      writeNewFile(
        lock,
        [Buffer.from(lines.join('\n'))],
        this.#durability,
        statSync(this.#path).mode & 0o777,
      );
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      throw storeCorrupt(`${lock} is in the way`, { cause: error, data: { path: lock } });
    }
    try {
      renameSync(lock, this.#path);
    } catch (error) {
      rmSync(lock, { force: true });
      throw error;
    }
  }

  #current(): ReadonlyMap<string, ObjectId> {
    const status = lstatSync(this.#path, { throwIfNoEntry: false });
    const stamp = status === undefined ? '' : `${status.ino} ${status.size} ${status.mtimeMs}`;
    if (stamp !== this.#stamp) {
      this.#refs = stamp === '' ? new Map() : parse(readFileSync(this.#path, 'utf8'));
      this.#stamp = stamp;
    }
    return this.#refs;
  }
}

function parse(text: string): ReadonlyMap<string, ObjectId> {
  const refs = new Map<string, ObjectId>();
  for (const line of text.split('\n')) {
    const [id = '', ref] = line.split(' ');
    if (ref !== undefined && isObjectId(id)) refs.set(ref, id);
  }
  return refs;
}
