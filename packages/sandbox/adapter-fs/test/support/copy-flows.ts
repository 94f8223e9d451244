import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileCopySandbox } from '@cleveragents/sandbox-adapter-fs';
import type { SandboxState } from '@cleveragents/sandbox-domain';
import { FLOW_PLAN_ID, type SandboxFlow } from '@cleveragents/shared-testing';
import { type CopyPlace, openCopy } from './copy-calls.ts';
import type { CopyLane } from './copy-lane.ts';

export interface CopyFlow {
  readonly name: string;
  readonly call: SandboxFlow['call'];
  readonly options?: object;
  /** Brings a new place to the moment before the call. */
  readonly arrange: (lane: CopyLane) => Promise<SandboxState>;
}

const FILES = {
  'modify.txt': 'old\n',
  'delete.txt': 'to go\n',
  'both.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n',
  'becomes-file/inner.txt': 'inner\n',
  'becomes-file/deep/most.txt': 'most\n',
  'becomes-folder': 'a file\n',
  'src/deep/only.txt': 'alone\n',
  'script.sh': 'echo\n',
  'notes.txt': "the user's own\n",
  'mine/big.bin': '\0binary\n',
};

export function beginProject({ root }: CopyPlace): void {
  for (const [path, text] of Object.entries(FILES)) write(root, path, text);
  symlinkSync('modify.txt', join(root, 'link'));
  mkdirSync(join(root, 'empty'));
}

function newCopy(lane: CopyLane): FileCopySandbox {
  return openCopy(lane, { status: 'pending', sandboxId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' });
}

async function activeCopy(lane: CopyLane): Promise<FileCopySandbox> {
  beginProject(lane);
  const sandbox = newCopy(lane);
  await sandbox.create(FLOW_PLAN_ID);
  await sandbox.getPath('.');
  return sandbox;
}

function work(sandbox: FileCopySandbox): FileCopySandbox {
  workIn(sandbox.context?.sandboxPath ?? '');
  return sandbox;
}

function workIn(folder: string): void {
  write(folder, 'modify.txt', 'new\n');
  write(folder, 'added/new.txt', 'new\n');
  write(folder, 'both.txt', 'one\ntwo\nthree\nfour\nfive\nsix\nseven, by the agent\n');
  rmSync(join(folder, 'delete.txt'));
}

/** Every kind of change that a tree can take. */
function workHard(sandbox: FileCopySandbox): FileCopySandbox {
  workHardIn(sandbox.context?.sandboxPath ?? '');
  return sandbox;
}

export function workHardIn(folder: string): void {
  workIn(folder);
  for (const path of ['becomes-file', 'becomes-folder', 'src/deep', 'link', 'empty'])
    rmSync(join(folder, path), { recursive: true });
  write(folder, 'becomes-file', 'a file now\n');
  write(folder, 'becomes-folder/inner.txt', 'below now\n');
  write(folder, 'link', 'a file now\n');
  symlinkSync('../modify.txt', join(folder, 'added/link'));
  mkdirSync(join(folder, 'hollow'));
  chmodSync(join(folder, 'script.sh'), 0o755);
  chmodSync(join(folder, 'src'), 0o700);
}

export function userEdits({ root }: CopyPlace, both: string): void {
  write(root, 'both.txt', both);
  write(root, 'later.txt', 'by the user\n');
}

export const BESIDE = 'one, by the user\ntwo\nthree\nfour\nfive\nsix\nseven\n';
const AGAINST = 'one\ntwo\nthree\nfour\nfive\nsix\nseven, by the user\n';
const AFTERWARDS = 'one, by the user\ntwo\nthree\nfour\nfive\nsix\nseven, by the agent\n';

async function committed(lane: CopyLane): Promise<FileCopySandbox> {
  const sandbox = workHard(await activeCopy(lane));
  await sandbox.commit();
  return sandbox;
}

export const COPY_FLOWS: readonly CopyFlow[] = [
  {
    name: 'create',
    call: 'create',
    options: { link: ['src'], exclude: ['*.sh'] },
    arrange: async (lane) => {
      beginProject(lane);
      return newCopy(lane).state;
    },
  },
  { name: 'commit', call: 'commit', arrange: async (lane) => work(await activeCopy(lane)).state },
  {
    name: 'commit of every kind of change',
    call: 'commit',
    arrange: async (lane) => workHard(await activeCopy(lane)).state,
  },
  {
    name: 'rollback from active',
    call: 'rollback',
    arrange: async (lane) => workHard(await activeCopy(lane)).state,
  },
  {
    name: 'rollback from committed',
    call: 'rollback',
    arrange: async (lane) => (await committed(lane)).state,
  },
  {
    name: 'rollback from committed by a revert',
    call: 'rollback',
    options: { strategy: 'revert' },
    arrange: async (lane) => {
      const sandbox = await committed(lane);
      userEdits(lane, AFTERWARDS);
      return sandbox.state;
    },
  },
  {
    name: 'refresh without conflicts',
    call: 'refresh',
    arrange: async (lane) => {
      const sandbox = workHard(await activeCopy(lane));
      userEdits(lane, BESIDE);
      return sandbox.state;
    },
  },
  {
    name: 'refresh with conflicts',
    call: 'refresh',
    arrange: async (lane) => {
      const sandbox = work(await activeCopy(lane));
      userEdits(lane, AGAINST);
      return sandbox.state;
    },
  },
  { name: 'cleanup after a commit', call: 'cleanup', arrange: async (lane) => (await committed(lane)).state },
  {
    name: 'cleanup of work that was never applied',
    call: 'cleanup',
    arrange: async (lane) => workHard(await activeCopy(lane)).state,
  },
];

function write(folder: string, path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}
