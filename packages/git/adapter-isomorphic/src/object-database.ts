import { dirname } from 'node:path';
import {
  type Commit,
  decodeTree,
  EMPTY_TREE_ID,
  encodeTree,
  GitFormatError,
  isObjectId,
  type ObjectId,
  type TreeEntry,
} from '@cleveragents/git-domain';
import { GitError, type ObjectStore } from '@cleveragents/git-ports';
import { decodeCommit, encodeCommit } from './commit-object.ts';
import { LooseObjects } from './loose-objects.ts';
import { PackStore } from './pack-store.ts';
import { hashObject, type ObjectType, type StoredObject } from './stored-object.ts';

/**
 * The loose and packed objects of one `objects` folder. The calls that end in `Sync` are for loops over many small
 * objects, where promises cost more than the work. Sees what other processes add or repack meanwhile.
 *
 * @throws GitError `GIT_OBJECT_MISSING`, `GIT_CORRUPT`, `GIT_FILE_SYSTEM`.
 */
export class ObjectDatabase implements ObjectStore {
  readonly #loose: LooseObjects;
  readonly #packs: PackStore;
  readonly #repository: string;

  constructor(objectsDirectory: string) {
    this.#repository = dirname(objectsDirectory);
    this.#loose = new LooseObjects(objectsDirectory);
    this.#packs = new PackStore(objectsDirectory, (id) => this.readObjectSync(id));
  }

  async has(id: ObjectId): Promise<boolean> {
    return this.hasSync(id);
  }

  async readTree(id: ObjectId): Promise<readonly TreeEntry[]> {
    return this.readTreeSync(id);
  }

  async readBlob(id: ObjectId): Promise<Uint8Array> {
    return this.readBlobSync(id);
  }

  async readCommit(id: ObjectId): Promise<Commit> {
    return this.readCommitSync(id);
  }

  async writeTree(entries: readonly TreeEntry[]): Promise<ObjectId> {
    return this.writeTreeSync(entries);
  }

  async writeBlob(bytes: Uint8Array): Promise<ObjectId> {
    return this.writeBlobSync(bytes);
  }

  /** Durable on return, with all that was written before: a ref may name it. */
  async writeCommit(commit: Commit): Promise<ObjectId> {
    const id = this.writeCommitSync(commit);
    await this.flush();
    return id;
  }

  hasSync(id: ObjectId): boolean {
    return (
      id === EMPTY_TREE_ID || this.#packs.has(id, false) || this.#loose.has(id) || this.#packs.has(id, true)
    );
  }

  readObjectSync(id: ObjectId): StoredObject {
    // known packs first: most objects are there; a miss may be one that moved into a new pack between the two looks
    const object = this.#packs.read(id, false) ?? this.#loose.read(id) ?? this.#packs.read(id, true);
    if (object !== null) return object;
    if (id === EMPTY_TREE_ID) return { type: 'tree', bytes: Buffer.alloc(0) };
    throw new GitError('GIT_OBJECT_MISSING', `object ${id} is not in ${this.#repository}`, {
      hint: isObjectId(id) ? 'Run `git fsck`; another clone may still have it.' : undefined,
      data: { id, repository: this.#repository },
    });
  }

  readTreeSync(id: ObjectId): readonly TreeEntry[] {
    try {
      return decodeTree(this.#contentOf(id, 'tree'));
    } catch (cause) {
      if (!(cause instanceof GitFormatError)) throw cause;
      throw new GitError('GIT_CORRUPT', `tree ${id}: ${cause.message}`, {
        data: { id, ...cause.data },
        cause,
      });
    }
  }

  readBlobSync(id: ObjectId): Buffer {
    return this.#contentOf(id, 'blob');
  }

  readCommitSync(id: ObjectId): Commit {
    const commit = decodeCommit(this.#contentOf(id, 'commit'));
    if (commit !== null) return commit;
    throw new GitError('GIT_CORRUPT', `commit ${id} is damaged`, { data: { id } });
  }

  #contentOf(id: ObjectId, type: ObjectType): Buffer {
    const object = this.readObjectSync(id);
    if (object.type === type) return object.bytes;
    throw new GitError('GIT_CORRUPT', `object ${id} is a ${object.type}, not a ${type}`, {
      data: { id, type: object.type, wanted: type },
    });
  }

  /** Writes nothing when the object is there already, packed or loose; it is then marked as in use. */
  writeObjectSync(type: ObjectType, bytes: Uint8Array): ObjectId {
    const id = hashObject(type, bytes);
    if (!this.#packs.freshen(id) && !this.#loose.freshen(id)) this.#loose.write(id, type, bytes);
    return id;
  }

  writeBlobSync(bytes: Uint8Array): ObjectId {
    return this.writeObjectSync('blob', bytes);
  }

  writeTreeSync(entries: readonly TreeEntry[]): ObjectId {
    return this.writeObjectSync('tree', encodeTree(entries));
  }

  writeCommitSync(commit: Commit): ObjectId {
    return this.writeObjectSync('commit', encodeCommit(commit));
  }

  /** Makes durable what was written since the last call. Call it before a ref names any of it. */
  async flush(): Promise<void> {
    await this.#loose.flush();
  }

  /** Lets go of the packs; the next call opens them again. */
  close(): void {
    this.#packs.close();
  }
}
