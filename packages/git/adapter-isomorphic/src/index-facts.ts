import type { Leaf, TreeChange } from '@cleveragents/git-domain';
import type { PathFacts } from '@cleveragents/git-ports';
import { isSameLeaf } from './disk-leaf.ts';
import type { LoadedIndex } from './index-file.ts';
import { parentsOf } from './pinned-directory.ts';

/** What the facts of a path need of an index. */
export interface IndexFacts {
  /** Every path that is tracked, each at least once. */
  paths(): Iterable<string>;
  /** @param leaving paths that go, so that what they overlay does not matter. */
  stateOf(change: TreeChange, leaving: ReadonlySet<string>): PathFacts['index'];
  /** Git itself would not look at the path's file. */
  isUnwatched(path: string): boolean;
}

/** Of an index that we read ourselves. */
export class LoadedIndexFacts implements IndexFacts {
  readonly #index: LoadedIndex;

  constructor(index: LoadedIndex) {
    this.#index = index;
  }

  *paths(): Generator<string> {
    const { view } = this.#index;
    for (let entry = 0; entry < view.entryCount; entry++) yield view.path(entry);
  }

  stateOf({ path, before, after }: TreeChange, leaving: ReadonlySet<string>): PathFacts['index'] {
    const { view } = this.#index;
    const entry = view.find(path);
    if (entry < 0) {
      if (([1, 2, 3] as const).some((stage) => view.find(path, stage) >= 0)) return 'unmerged';
      return after !== null && this.#isOverlaid(path, leaving) ? 'other' : 'absent';
    }
    const leaf: Leaf = { mode: view.mode(entry), id: view.idHex(entry) };
    if (view.isIntentToAdd(entry)) return 'other';
    if (isSameLeaf(leaf, before)) return 'before';
    return isSameLeaf(leaf, after) ? 'after' : 'other';
  }

  isUnwatched(path: string): boolean {
    const { view } = this.#index;
    const entry = view.find(path);
    return entry >= 0 && (view.isAssumedValid(entry) || view.skipsWorktree(entry));
  }

  /** Whether the index holds, and keeps, a file where the path needs a directory, or files below the path. */
  #isOverlaid(path: string, leaving: ReadonlySet<string>): boolean {
    const { view } = this.#index;
    if (parentsOf(path).some((parent) => view.find(parent) >= 0 && !leaving.has(parent))) return true;
    const end = view.firstNotBefore(Buffer.from(`${path}0`));
    for (let at = view.firstNotBefore(Buffer.from(`${path}/`)); at < end; at++)
      if (!leaving.has(view.path(at))) return true;
    return false;
  }
}
