import type { ObjectId } from '@cleveragents/git-domain';
import type { TreeMember } from './tree-codec.ts';

const MOST_MEMBERS = 20_000;

/** Trees that were opened lately. What an id stands for never changes, so none is ever stale. */
export class TreeCache {
  readonly #trees = new Map<ObjectId, readonly TreeMember[]>();
  #memberCount = 0;

  get(id: ObjectId): readonly TreeMember[] | undefined {
    return this.#trees.get(id);
  }

  set(id: ObjectId, members: readonly TreeMember[]): void {
    this.#drop(id);
    this.#trees.set(id, members);
    this.#memberCount += members.length;
    for (const oldest of this.#trees.keys()) {
      if (this.#memberCount <= MOST_MEMBERS) break;
      this.#drop(oldest);
    }
  }

  #drop(id: ObjectId): void {
    this.#memberCount -= this.#trees.get(id)?.length ?? 0;
    this.#trees.delete(id);
  }
}
