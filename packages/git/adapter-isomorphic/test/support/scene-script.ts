// One operation of a process of its own: node scene-script OPERATION JSON. Says how it ended on standard output.
import type { GitError, LinkedWorktree } from '@cleveragents/git-ports';
import { addWorktree, beginBranchUpdate } from '../../src/isomorphic-operations.ts';
import { openLinkedWorktree } from '../../src/isomorphic-linked-worktree.ts';
import { removeWorktree } from '../../src/remove-worktree.ts';
import type { Repository } from '../../src/repository.ts';
import type { WorktreeLayout } from '../../src/worktree-scan.ts';
import { openAt } from './worktrees.ts';

/** What each operation is called with. */
export interface SceneOperations {
  update: Parameters<typeof beginBranchUpdate>[1];
  add: Parameters<typeof addWorktree>[1];
  remove: Parameters<typeof removeWorktree>[1];
  restore: { worktree: WorktreeLayout; commit: string; branch: string };
  record: {
    worktree: WorktreeLayout;
    parameters: Parameters<LinkedWorktree['record']>;
  };
  beginMerge: {
    worktree: WorktreeLayout;
    merge: Parameters<LinkedWorktree['beginMerge']>[0];
  };
  capture: { worktree: WorktreeLayout };
}

type Operations = {
  [Name in keyof SceneOperations]: (
    repository: Repository,
    request: SceneOperations[Name],
  ) => Promise<unknown>;
};

const operations: Operations = {
  update: async (repository, request) => {
    const update = await beginBranchUpdate(repository, request);
    await update.apply();
  },
  add: addWorktree,
  remove: removeWorktree,
  restore: async (repository, { worktree, commit, branch }) => {
    const opened = await openLinkedWorktree(repository, worktree);
    await opened.restore(commit as Parameters<typeof opened.restore>[0], branch);
  },
  record: async (repository, { worktree, parameters }) =>
    (await openLinkedWorktree(repository, worktree)).record(...parameters),
  beginMerge: async (repository, { worktree, merge }) =>
    (await openLinkedWorktree(repository, worktree)).beginMerge(merge),
  capture: async (repository, { worktree }) => (await openLinkedWorktree(repository, worktree)).capture(),
};

const [root = '', name = '', request = ''] = process.argv.slice(2);
try {
  const repository = await openAt(root, 5000);
  const operation = operations[name as keyof SceneOperations] as (
    repository: Repository,
    request: unknown,
  ) => Promise<unknown>;
  const result = await operation(repository, JSON.parse(request));
  process.stdout.write(JSON.stringify({ ok: true, result: result ?? null }));
} catch (error) {
  const { code = null, message, stack, data } = error as Partial<GitError>;
  process.stdout.write(JSON.stringify({ ok: false, code, message, data, stack }));
}
