import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GitWorktreeSandbox } from '@cleveragents/sandbox-adapter-git-worktree';
import type { SandboxState } from '@cleveragents/sandbox-domain';
import { FLOW_PLAN_ID, type SandboxFlow } from '@cleveragents/shared-testing';
import { openSandbox } from './sandbox-calls.ts';
import type { GitLane } from './lane.ts';

export interface Flow {
  readonly name: string;
  readonly call: SandboxFlow['call'];
  readonly options?: object;
  /** Brings a new repository to the moment before the call. */
  readonly arrange: (lane: GitLane) => Promise<SandboxState>;
  /** Whether a call that failed has put everything back; otherwise the sandbox is set right by the next call. */
  readonly undoesItself: boolean;
}

const FILES = {
  '.gitignore': '/cache/\n.env\n',
  'modify.txt': 'old\n',
  'delete.txt': 'to go\n',
  'both.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n',
  'dirty.txt': 'as committed\n',
  'staged.txt': 'as committed\n',
  'becomes-file/inner.txt': 'inner\n',
  'becomes-file/deep/most.txt': 'most\n',
  'becomes-folder': 'a file\n',
  'src/deep/only.txt': 'alone\n',
  'script.sh': 'echo\n',
  'main.txt': 'of the user\n',
};

/** A project with commits, another branch, a stash, and work of the user's in every state. */
export async function beginProject({ original, root }: GitLane): Promise<void> {
  symlinkSync('modify.txt', join(root, 'link'));
  await original.commit('begin', FILES);
  await original.git('branch', 'feature');
  await original.git('tag', 'v1');
  await original.write('main.txt', 'for the stash\n');
  await original.git('stash', '--quiet');
  write(root, 'dirty.txt', 'edited and not committed\n');
  write(root, 'staged.txt', 'staged\n');
  await original.git('add', 'staged.txt');
  write(root, 'staged.txt', 'staged, then edited\n');
  write(root, 'notes.txt', 'untracked\n');
  write(root, 'cache/big.bin', 'ignored\n');
  write(root, '.env', 'SECRET=1\n');
}

async function activeSandbox(lane: GitLane): Promise<GitWorktreeSandbox> {
  await beginProject(lane);
  const sandbox = newSandbox(lane);
  await sandbox.create(FLOW_PLAN_ID);
  await sandbox.getPath('.');
  return sandbox;
}

function folderOf(sandbox: GitWorktreeSandbox): string {
  return sandbox.context?.sandboxPath ?? '';
}

function newSandbox({ root, sandboxes }: GitLane): GitWorktreeSandbox {
  const state = { status: 'pending', sandboxId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' } as const;
  return openSandbox({ originalPath: root, sandboxFolder: sandboxes, state });
}

/** What an agent does in most plans. */
function work(folder: string): void {
  write(folder, 'modify.txt', 'new\n');
  write(folder, 'added/new.txt', 'new\n');
  write(folder, 'both.txt', 'one\ntwo\nthree\nfour\nfive\nsix\nseven, by the agent\n');
  rmSync(join(folder, 'delete.txt'));
}

/** What few agents do: every kind of change that a tree can take. */
export function workHard(folder: string): void {
  work(folder);
  for (const path of ['becomes-file', 'becomes-folder', 'src/deep', 'link'])
    rmSync(join(folder, path), { recursive: true });
  write(folder, 'becomes-file', 'a file now\n');
  write(folder, 'becomes-folder/inner.txt', 'below now\n');
  write(folder, 'link', 'a file now\n');
  symlinkSync('../modify.txt', join(folder, 'added/link'));
  chmodSync(join(folder, 'script.sh'), 0o755);
}

/** The user commits meanwhile, without what is dirty and staged. */
export async function userCommits(
  { original, root }: GitLane,
  both = 'one, by the user\ntwo\nthree\nfour\nfive\nsix\nseven\n',
): Promise<void> {
  write(root, 'both.txt', both);
  write(root, 'main.txt', 'of the user, later\n');
  await original.git('commit', '--quiet', '--message', 'by the user', '--', 'both.txt', 'main.txt');
}

async function committed(lane: GitLane, moved: boolean): Promise<GitWorktreeSandbox> {
  const sandbox = await activeSandbox(lane);
  workHard(folderOf(sandbox));
  if (moved) await userCommits(lane);
  await sandbox.commit('what the plan is for');
  return sandbox;
}

const create: Flow = {
  name: 'create',
  call: 'create',
  options: { includeDirty: true, link: ['cache'], copy: ['.env'] },
  undoesItself: true,
  arrange: async (lane) => {
    await beginProject(lane);
    return newSandbox(lane).state;
  },
};

const commitForward: Flow = {
  name: 'commit as a fast-forward',
  call: 'commit',
  undoesItself: true,
  arrange: async (lane) => {
    const sandbox = await activeSandbox(lane);
    work(folderOf(sandbox));
    return sandbox.state;
  },
};

const commitMerged: Flow = {
  name: 'commit as a merge',
  call: 'commit',
  undoesItself: true,
  arrange: async (lane) => {
    const sandbox = await activeSandbox(lane);
    work(folderOf(sandbox));
    await userCommits(lane);
    return sandbox.state;
  },
};

const commitSwapped: Flow = {
  name: 'commit of swapped files and folders, modes, links and deletions',
  call: 'commit',
  undoesItself: true,
  arrange: async (lane) => {
    const sandbox = await activeSandbox(lane);
    workHard(folderOf(sandbox));
    return sandbox.state;
  },
};

const rollbackActive: Flow = {
  name: 'rollback from active',
  call: 'rollback',
  undoesItself: false,
  arrange: async (lane) => {
    const sandbox = await activeSandbox(lane);
    workHard(folderOf(sandbox));
    return sandbox.state;
  },
};

const rollbackCommitted: Flow = {
  name: 'rollback from committed',
  call: 'rollback',
  undoesItself: false,
  arrange: async (lane) => (await committed(lane, true)).state,
};

const rollbackReverted: Flow = {
  name: 'rollback from committed by a revert',
  call: 'rollback',
  options: { strategy: 'revert' },
  undoesItself: false,
  arrange: async (lane) => {
    const sandbox = await committed(lane, false);
    await userCommits(lane, 'one, by the user\ntwo\nthree\nfour\nfive\nsix\nseven, by the agent\n');
    return sandbox.state;
  },
};

const refreshClean: Flow = {
  name: 'refresh without conflicts',
  call: 'refresh',
  undoesItself: false,
  arrange: commitMerged.arrange,
};

const refreshConflict: Flow = {
  name: 'refresh with conflicts',
  call: 'refresh',
  undoesItself: false,
  arrange: async (lane) => {
    const sandbox = await activeSandbox(lane);
    work(folderOf(sandbox));
    await userCommits(lane, 'one\ntwo\nthree\nfour\nfive\nsix\nseven, by the user\n');
    return sandbox.state;
  },
};

const cleanupCommitted: Flow = {
  name: 'cleanup after a commit',
  call: 'cleanup',
  undoesItself: false,
  arrange: async (lane) => (await committed(lane, false)).state,
};

const cleanupUnapplied: Flow = {
  name: 'cleanup of work that was never applied',
  call: 'cleanup',
  undoesItself: false,
  arrange: rollbackActive.arrange,
};

export const FLOWS: readonly Flow[] = [
  create,
  commitForward,
  commitMerged,
  commitSwapped,
  rollbackActive,
  rollbackCommitted,
  rollbackReverted,
  refreshClean,
  refreshConflict,
  cleanupCommitted,
  cleanupUnapplied,
];

function write(folder: string, path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}
