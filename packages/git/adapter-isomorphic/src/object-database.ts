import type { Commit, ObjectId, TreeEntry } from '@cleveragents/git-domain';
import type { ObjectStore } from '@cleveragents/git-ports';

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';

export interface StoredObject {
  readonly type: ObjectType;
  readonly bytes: Buffer;
}

/** The id that git gives to content of that type. */
export function hashObject(type: ObjectType, bytes: Uint8Array): ObjectId {
  throw new Error(`not written yet ${type} ${bytes.length}`);
}

export function hashBlob(bytes: Uint8Array): ObjectId {
  return hashObject('blob', bytes);
}

/**
 * The loose and packed objects of one `objects` folder. The calls that end in `Sync` are for loops over many small
 * objects, where promises cost more than the work. Sees what other processes add or repack meanwhile.
 *
 * @throws GitError `GIT_OBJECT_MISSING`, `GIT_CORRUPT`, `GIT_FILE_SYSTEM`.
 */
export class ObjectDatabase implements ObjectStore {
  constructor(objectsDirectory: string) {
    void objectsDirectory;
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

  async writeCommit(commit: Commit): Promise<ObjectId> {
    return this.writeCommitSync(commit);
  }

  hasSync(id: ObjectId): boolean {
    throw new Error(`not written yet ${id}`);
  }

  readObjectSync(id: ObjectId): StoredObject {
    throw new Error(`not written yet ${id}`);
  }

  readTreeSync(id: ObjectId): readonly TreeEntry[] {
    throw new Error(`not written yet ${id}`);
  }

  readBlobSync(id: ObjectId): Buffer {
    throw new Error(`not written yet ${id}`);
  }

  readCommitSync(id: ObjectId): Commit {
    throw new Error(`not written yet ${id}`);
  }

  /** Writes nothing when the object is there already, packed or loose. */
  writeObjectSync(type: ObjectType, bytes: Uint8Array): ObjectId {
    throw new Error(`not written yet ${type} ${bytes.length}`);
  }

  writeBlobSync(bytes: Uint8Array): ObjectId {
    return this.writeObjectSync('blob', bytes);
  }

  writeTreeSync(entries: readonly TreeEntry[]): ObjectId {
    throw new Error(`not written yet ${entries.length}`);
  }

  writeCommitSync(commit: Commit): ObjectId {
    throw new Error(`not written yet ${commit.tree}`);
  }

  /** Makes durable what was written since the last call. Call it before a ref names any of it. */
  async flush(): Promise<void> {
    throw new Error('not written yet');
  }
}
