import type { FolderRelevance, SideChanges } from './collected-paths.ts';
import type { RenameCandidate } from '../rename/rename-matcher.ts';
import { nameOf } from '../rename/rename-matcher.ts';
import { parentOf } from './merged-path.ts';
import { inTableOrder } from './table-order.ts';

/** Stands for wherever the files went whose rename is not known yet; no directory can be called so. */
const UNKNOWN = '/';

/** Counts where the files of the directories that one side removed went to: git's way to see that a directory was renamed. */
export class FolderRenameCounts {
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #removed: Map<string, FolderRelevance>;

  constructor({ removedFolders }: Pick<SideChanges, 'removedFolders'>) {
    this.#removed = new Map(removedFolders);
  }

  /** A rename speaks of the directory of the file and of those above it, as far up as both ends of the path agree. */
  add(from: string, to: string): void {
    let [old, now] = [parentOf(from), parentOf(to)];
    let relevance = this.#removed.get(old);
    for (let isFirst = true; relevance !== undefined; isFirst = false) {
      if (relevance === 'self' || isFirst) this.#increment(old, now);
      if (relevance === 'none' || old === '' || now === '' || nameOf(old) !== nameOf(now)) return;
      [old, now] = [parentOf(old), parentOf(now)];
      relevance = this.#removed.get(old);
    }
  }

  /** Where most of each directory went as far as it is known now; of equals the one that git meets first. */
  guesses(): ReadonlyMap<string, string> {
    const guesses = new Map<string, string>();
    for (const [folder, counts] of this.#counts) {
      const targets = inTableOrder([...counts.keys()]);
      const count = (target: string): number => counts.get(target) ?? 0;
      guesses.set(
        folder,
        targets.reduce((one, two) => (count(two) > count(one) ? two : one)),
      );
    }
    return guesses;
  }

  /** Tells for the remaining sources which of them can still change where a directory is seen to have gone. */
  settle(
    sources: readonly RenameCandidate[],
    relevantSources: SideChanges['relevantSources'],
  ): (source: RenameCandidate) => boolean {
    for (const { path } of sources)
      for (let folder = parentOf(path); folder !== '' && this.#isRelevant(folder); folder = parentOf(folder))
        this.#increment(folder, UNKNOWN);
    for (const [folder, counts] of this.#counts)
      if (this.#removed.get(folder) === 'self' && hasMajority(counts)) this.#removed.set(folder, 'ancestor');
    return ({ path }) => relevantSources.get(path) === 'content' || this.#isOpenAbove(parentOf(path));
  }

  /** Where each removed directory went; several with the same count: `null`, nobody can tell. */
  renames(): ReadonlyMap<string, string | null> {
    const renames = new Map<string, string | null>();
    for (const [folder, counts] of this.#counts) {
      if (!this.#isRelevant(folder)) continue;
      const known = [...counts].filter(([target]) => target !== UNKNOWN);
      const most = Math.max(0, ...known.map(([, count]) => count));
      const best = known.filter(([, count]) => count === most);
      if (most > 0) renames.set(folder, best.length === 1 ? (best[0]?.[0] ?? null) : null);
    }
    return renames;
  }

  #isRelevant(folder: string): boolean {
    return (this.#removed.get(folder) ?? 'none') !== 'none';
  }

  #isOpenAbove(path: string): boolean {
    for (let folder = path; ; folder = parentOf(folder)) {
      const relevance = this.#removed.get(folder) ?? 'none';
      if (relevance !== 'ancestor') return relevance === 'self';
    }
  }

  #increment(folder: string, target: string): void {
    const counts = this.#counts.get(folder) ?? new Map<string, number>();
    counts.set(target, (counts.get(target) ?? 0) + 1);
    this.#counts.set(folder, counts);
  }
}

/** Whether no rename that is still unknown can overturn the first place. */
function hasMajority(counts: ReadonlyMap<string, number>): boolean {
  const known = [...counts].filter(([target]) => target !== UNKNOWN).map(([, count]) => count);
  const [first = 0, second = 0] = known.sort((a, b) => b - a);
  return first > second + (counts.get(UNKNOWN) ?? 0);
}
