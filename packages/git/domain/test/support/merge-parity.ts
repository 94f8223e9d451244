import { type CommitMerge, mergeCommits, type ObjectId } from '../../src/index.ts';
import { type FilesOfTree, MemoryObjects } from './memory-objects.ts';
import { forEachArgument, RealRepository } from './real-git.ts';

/** Two commits to merge, and what they were made of, for the message of a failure. */
export interface MergeCase {
  readonly ours: ObjectId;
  readonly theirs: ObjectId;
}

/** What git and we made of one pair of commits. */
export interface MergeComparison {
  readonly git: 'clean' | 'conflicts' | 'failed';
  readonly gitTree: string;
  readonly own: CommitMerge;
}

const SECONDS = 1_700_000_000;

/** One base, two sides. */
export function putBranches(
  objects: MemoryObjects,
  [base, ours, theirs]: readonly [FilesOfTree, FilesOfTree, FilesOfTree],
): MergeCase {
  const root = objects.putCommit(objects.putTree(base), [], SECONDS);
  return {
    ours: objects.putCommit(objects.putTree(ours), [root], SECONDS + 1),
    theirs: objects.putCommit(objects.putTree(theirs), [root], SECONDS + 2),
  };
}

/** Two branches that were merged into each other, with work on both merges. */
export function putCrissCross(
  objects: MemoryObjects,
  [base, one, two, ours, theirs]: readonly [FilesOfTree, FilesOfTree, FilesOfTree, FilesOfTree, FilesOfTree],
): MergeCase {
  const inner = putBranches(objects, [base, one, two]);
  return {
    ours: objects.putCommit(objects.putTree(ours), [inner.ours, inner.theirs], SECONDS + 3),
    theirs: objects.putCommit(objects.putTree(theirs), [inner.theirs, inner.ours], SECONDS + 4),
  };
}

/** Asks `git merge-tree --write-tree` and us, in one go for all cases. */
export async function compareMerges(
  objects: MemoryObjects,
  cases: readonly MergeCase[],
): Promise<readonly MergeComparison[]> {
  const repository = new RealRepository();
  try {
    objects.exportTo(repository);
    const line =
      'tree=$(git merge-tree --write-tree --no-messages $argument 2>/dev/null); echo "$? ${tree:0:40}"';
    const pairs = cases.map(({ ours, theirs }) => `${ours} ${theirs}`);
    const answers = forEachArgument(line, pairs, repository.folder);
    return await Promise.all(
      cases.map(async ({ ours, theirs }, at) => {
        const [status, gitTree = ''] = (answers[at] ?? '').split(' ');
        const git = status === '0' ? 'clean' : status === '1' ? 'conflicts' : 'failed';
        const own = await mergeCommits(objects, { ours, theirs, labels: { ours, theirs } });
        return { git, gitTree, own } as const;
      }),
    );
  } finally {
    repository.remove();
  }
}

/**
 * Whether git calls a merge clean that is none: a renamed file had conflicts, and its new name was taken by the same file
 * on both sides. Git 2.39 then either commits the markers or drops the edit.
 */
export function isFalselyClean({ git, own }: MergeComparison): boolean {
  return (
    git === 'clean' &&
    own.kind === 'conflicts' &&
    own.conflicts.some(({ detail }) => detail.endsWith('meets another file there.'))
  );
}

/** The tree of a result, marked or not; for fast-forwards the commit's. */
export function treeOf(own: CommitMerge): string | null {
  if (own.kind === 'clean' || own.kind === 'fast-forward') return own.tree;
  return own.kind === 'conflicts' ? own.markedTree : null;
}
