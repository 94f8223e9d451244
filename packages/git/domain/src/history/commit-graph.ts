import type { Commit, CommitReader, ObjectId } from '../objects.ts';

/** What a walk through history needs of a commit. */
export interface HistoryNode {
  readonly id: ObjectId;
  readonly parents: readonly ObjectId[];
  /** Committer's time. */
  readonly timestampSeconds: number;
}

/** History as it is asked for, each commit read once; takes commits that exist nowhere but here as well. */
export class CommitGraph {
  readonly #reader: CommitReader;
  readonly #commits = new Map<ObjectId, Promise<Commit>>();
  readonly #virtual = new Map<ObjectId, HistoryNode & { readonly tree: ObjectId }>();

  constructor(reader: CommitReader) {
    this.#reader = reader;
  }

  async node(id: ObjectId): Promise<HistoryNode> {
    const virtual = this.#virtual.get(id);
    if (virtual) return virtual;
    const { parents, committer } = await this.#read(id);
    return { id, parents, timestampSeconds: committer.timestampSeconds };
  }

  async treeOf(id: ObjectId): Promise<ObjectId> {
    return this.#virtual.get(id)?.tree ?? (await this.#read(id)).tree;
  }

  /** A commit that is never written: the merge of several merge bases. Older than any other. */
  addVirtual(tree: ObjectId, parents: readonly ObjectId[]): ObjectId {
    const id = `virtual:${this.#virtual.size}` as ObjectId;
    this.#virtual.set(id, { id, tree, parents, timestampSeconds: 0 });
    return id;
  }

  #read(id: ObjectId): Promise<Commit> {
    let commit = this.#commits.get(id);
    if (commit === undefined) {
      commit = this.#reader.readCommit(id);
      this.#commits.set(id, commit);
    }
    return commit;
  }
}
