import type { TreeChange } from '@cleveragents/git-domain';
import type { IndexFacts } from './index-facts.ts';
import { parentsOf, splitPath, withPinned } from './pinned-directory.ts';

/** Finds paths that a file system takes for the same file, which does not count case or Unicode form. */
export class CollisionFinder {
  readonly #workTree: string;
  /** Every tracked path and directory that stays or comes, by its folded form. */
  readonly #byFold = new Map<string, Set<string>>();

  constructor(workTree: string, index: IndexFacts, changes: readonly TreeChange[]) {
    this.#workTree = workTree;
    const leaving = new Set(changes.filter(({ after }) => after === null).map(({ path }) => path));
    for (const path of index.paths()) if (!leaving.has(path)) this.#add(path);
    for (const { path, after } of changes) if (after !== null) this.#add(path);
  }

  /** Another path that would be the same file as `path`, or as one of its directories; null: none. */
  find(path: string): string | null {
    for (const candidate of [...parentsOf(path), path]) {
      const tracked = [...(this.#byFold.get(fold(candidate)) ?? [])].find((other) => other !== candidate);
      const other = tracked ?? this.#findOnDisk(candidate);
      if (other !== null) return other;
    }
    return null;
  }

  #add(path: string): void {
    for (const candidate of [...parentsOf(path), path]) {
      const key = fold(candidate);
      const paths = this.#byFold.get(key) ?? new Set();
      this.#byFold.set(key, paths.add(candidate));
    }
  }

  #findOnDisk(path: string): string | null {
    const { directory, name } = splitPath(path);
    const names = withPinned(this.#workTree, directory, (pinned) => pinned.names()) ?? [];
    const other = names.includes(name)
      ? undefined
      : names.find((candidate) => fold(candidate) === fold(name));
    return other === undefined ? null : directory === '' ? other : `${directory}/${other}`;
  }
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
