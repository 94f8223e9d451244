import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  diffTrees,
  type IndexEntry,
  type IndexPatch,
  type IndexStat,
  type Leaf,
  type ObjectId,
  patchIndex,
  UNKNOWN_STAT,
} from '@cleveragents/git-domain';
import type {
  BranchUpdate,
  BranchUpdateRequest,
  LostWorktree,
  NewWorktree,
  OperationOptions,
  RecoveryReport,
} from '@cleveragents/git-ports';
import { addWorktree as addWorktreeWith } from './add-worktree.ts';
import { beginBranchUpdate as beginBranchUpdateWith } from './branch-update.ts';
import type { BranchSurvey, EngineRecovery, IndexChange, SurveyWorkTree } from './branch-survey.ts';
import { isSameLeaf } from './disk-leaf.ts';
import { GitConfig } from './git-config.ts';
import { type LoadedIndex, loadIndex, sha1, smudgeRacyEntries } from './index-file.ts';
import { LoadedIndexFacts } from './index-facts.ts';
import { indexOfTree } from './index-of-tree.ts';
import { ISOMORPHIC_CONTENT } from './isomorphic-linked-worktree.ts';
import { readPathFacts } from './path-facts.ts';
import { fillWith } from './populate-worktree.ts';
import { reattachWorktree as reattachWorktreeWith } from './reattach-worktree.ts';
import { recover as recoverWith } from './recovery.ts';
import type { Repository } from './repository.ts';
import { finishRestore } from './restore.ts';
import type { WorktreeLayout } from './worktree-scan.ts';

/** See `WorktreeHost.addWorktree`. */
export async function addWorktree(
  repository: Repository,
  worktree: NewWorktree,
  options?: OperationOptions,
): Promise<WorktreeLayout> {
  const { tree } = repository.objects.readCommitSync(worktree.commit);
  return await addWorktreeWith(repository, worktree, fillWith(repository, tree), options);
}

/** See `WorktreeHost.beginBranchUpdate`. */
export function beginBranchUpdate(
  repository: Repository,
  request: BranchUpdateRequest,
  options?: OperationOptions,
): Promise<BranchUpdate> {
  return beginBranchUpdateWith(repository, request, surveyOf(repository), options);
}

/** See `WorktreeHost.recover`. */
export function recover(repository: Repository): Promise<RecoveryReport> {
  return recoverWith(repository, recoveryOf(repository));
}

/** Reads objects and index by itself: what git keeps and what lies on the disk are the same bytes here. */
function surveyOf({ objects, environment }: Repository): SurveyWorkTree {
  return async (layout, { from, to }, pace): Promise<BranchSurvey> => {
    const treeOf = (commit: ObjectId): ObjectId => objects.readCommitSync(commit).tree;
    const config = await GitConfig.load(layout, environment);
    const index = loadIndex(layout.gitDirectory);
    const changes = await diffTrees(objects, treeOf(from), treeOf(to));
    const facts = await readPathFacts({ layout, config, index: new LoadedIndexFacts(index), changes, pace });
    return {
      facts,
      stage: async () => ({ facts, readBlobSync: (id) => objects.readBlobSync(id) }),
      nextIndex: async (_folder, stats) => withChanges(index, facts, stats),
    };
  };
}

/** See `WorktreeHost.reattachWorktree`. */
export function reattachWorktree(repository: Repository, worktree: LostWorktree): Promise<void> {
  const { objects } = repository;
  return reattachWorktreeWith(repository, worktree, async ({ gitDirectory }) => {
    const { index } = await indexOfTree(objects, objects.readCommitSync(worktree.commit).tree, null);
    writeFileSync(join(gitDirectory, 'index'), index.bytes);
  });
}

function recoveryOf(repository: Repository): EngineRecovery {
  return {
    finishRestore: (entry) => finishRestore(repository, entry, ISOMORPHIC_CONTENT),
    advanceIndex: async ({ gitDirectory }, entries) => {
      const index = loadIndex(gitDirectory);
      const missing = entries.filter(
        (entry) => isStill(index, entry, entry.before) && !isStill(index, entry, entry.after),
      );
      return missing.length === 0 ? null : withChanges(index, missing, new Map());
    },
  };
}

function isStill({ view }: LoadedIndex, { path }: IndexChange, leaf: Leaf | null): boolean {
  const entry = view.find(path);
  return isSameLeaf(entry < 0 ? null : { mode: view.mode(entry), id: view.idHex(entry) }, leaf);
}

function withChanges(
  index: LoadedIndex,
  entries: readonly IndexChange[],
  stats: ReadonlyMap<string, IndexStat>,
): Uint8Array {
  smudgeRacyEntries(index);
  return patchIndex(index.view, indexPatchOf(entries, stats), sha1);
}

function indexPatchOf(
  entries: readonly IndexChange[],
  stats: ReadonlyMap<string, IndexStat>,
): Required<Pick<IndexPatch, 'set' | 'remove'>> {
  const set = entries.flatMap(({ path, after }): IndexEntry[] =>
    after === null ? [] : [{ path, ...after, stat: stats.get(path) ?? UNKNOWN_STAT }],
  );
  return { set, remove: entries.flatMap(({ path, after }) => (after === null ? [path] : [])) };
}
