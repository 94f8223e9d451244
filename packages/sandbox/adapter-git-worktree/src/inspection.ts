import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { LeftBehind, Ref, WorktreeEntry, WorktreeHost } from '@cleveragents/git-ports';
import {
  type BranchTrace,
  type LockTrace,
  type MemoryTrace,
  RESCUE_PREFIX,
  rescueTime,
  type SandboxContext,
  type SandboxFacts,
  type SandboxTrace,
} from '@cleveragents/sandbox-domain';
import { hasCode, parsePlanId, planKey } from '@cleveragents/shared-kernel';
import { piecedState } from './pieced-state.ts';
import { shortBranchName } from './worktree-session.ts';

const BRANCHES = 'refs/heads/cleveragents';
const MEMORIES = 'refs/cleveragents/sandbox';

/** See `SandboxFactory.inspect`. */
export async function inspectSandboxes(
  host: WorktreeHost,
  known: readonly SandboxContext[],
  sandboxFolder: string,
): Promise<SandboxFacts> {
  const [worktrees, refs, memories, rescues, left] = await Promise.all([
    host.listWorktrees(),
    host.listRefs(BRANCHES),
    host.listRefs(MEMORIES),
    host.listRefs(RESCUE_PREFIX),
    host.examine(),
  ]);
  const survey: Survey = { host, worktrees, refs, known };
  return {
    strategy: 'git_worktree',
    traces: [
      ...(await ownedTraces(survey)),
      ...(await lostTraces(survey)),
      ...(await strayTraces(survey, sandboxFolder)),
    ],
    branches: await branchTraces(survey),
    memories: memories.map(memoryOf),
    rescues: rescues.map(({ name }) => ({
      ref: name,
      key: componentAfter(RESCUE_PREFIX, name),
      at: rescueTime(name)?.toISOString() ?? null,
    })),
    operations: left.operations,
    damage: left.damage,
    locks: left.locks.map(lockOf),
    fingerprint: await host.readFingerprint(),
  };
}

interface Survey {
  readonly host: WorktreeHost;
  readonly worktrees: readonly WorktreeEntry[];
  /** Below the namespace of sandbox branches. */
  readonly refs: readonly Ref[];
  readonly known: readonly SandboxContext[];
}

/** Worktrees whose admin folder says that a sandbox of ours made them. */
async function ownedTraces(survey: Survey): Promise<readonly SandboxTrace[]> {
  const traces = survey.worktrees.map(async (entry): Promise<readonly SandboxTrace[]> => {
    const { owner, path, gitDirectory, locked, missing } = entry;
    if (owner === null) return [];
    const found = { ...owner, path, gitDirectory, head: entry.head.commit };
    return [
      {
        sandboxId: owner.sandboxId,
        planId: owner.planId,
        path,
        condition: missing ? 'missing' : isPointer(path, gitDirectory) ? 'whole' : 'detached',
        locked: locked === 'initializing' ? null : locked,
        state: await piecedState(survey.host, found),
      },
    ];
  });
  return (await Promise.all(traces)).flat();
}

/** Sandboxes that plans count on, and of which git knows nothing any more. */
async function lostTraces({ worktrees, known }: Survey): Promise<readonly SandboxTrace[]> {
  return known.flatMap(({ sandboxId, planId, sandboxPath: path, metadata }): readonly SandboxTrace[] => {
    if (metadata.strategy !== 'git_worktree') return [];
    if (worktrees.some(({ owner }) => owner?.sandboxId === sandboxId)) return [];
    const condition = !existsSync(path)
      ? 'missing'
      : isPointer(path, metadata.gitDirectory)
        ? 'detached'
        : 'unproven';
    return [{ sandboxId, planId, path, condition, locked: null, state: null }];
  });
}

/** Folders that say that they are worktrees of this repository, and that neither git nor a plan knows. */
async function strayTraces(survey: Survey, sandboxFolder: string): Promise<readonly SandboxTrace[]> {
  const { known, worktrees, host } = survey;
  const parents = new Set([
    ...realPathIfThere(sandboxFolder),
    ...known.map(({ sandboxPath }) => dirname(sandboxPath)),
  ]);
  const accounted = new Set([
    ...worktrees.map(({ path }) => path),
    ...known.map(({ sandboxPath }) => sandboxPath),
  ]);
  const traces: SandboxTrace[] = [];
  for (const parent of parents)
    for (const name of namesIn(parent).filter((each) => each.startsWith('ca-sandbox-'))) {
      const path = join(parent, name);
      const gitDirectory = accounted.has(path) ? null : readPointer(path);
      if (gitDirectory === null || dirname(gitDirectory) !== join(host.facts.commonDirectory, 'worktrees'))
        continue;
      traces.push(await strayTrace(survey, path, gitDirectory));
    }
  return traces;
}

/** The name of the folder has the plan's key; the branch has the plan's id, where that had nothing to be changed. */
async function strayTrace({ host, refs }: Survey, path: string, gitDirectory: string): Promise<SandboxTrace> {
  const [, key = '', random = ''] = /^ca-sandbox-(.*)-([0-9a-f]{8})$/.exec(basename(path)) ?? [];
  const branch = refs.find(({ name }) => keyOfBranch(name) === key);
  const planId = branch === undefined ? null : planIdOf(branch.name);
  const sandboxId = `found-${random}`;
  const state =
    branch === undefined || planId === null
      ? null
      : await piecedState(host, { planId, sandboxId, branch: branch.name, path, gitDirectory, head: null });
  return { sandboxId, planId, path, condition: 'detached', locked: null, state };
}

function planIdOf(branch: string): string {
  return branch.slice(`${BRANCHES}/plan-`.length);
}

function keyOfBranch(branch: string): string | null {
  const planId = planIdOf(branch);
  return planId === '' ? null : planKey(parsePlanId(planId));
}

async function branchTraces({ host, worktrees, refs }: Survey): Promise<readonly BranchTrace[]> {
  const own = host.facts.head.commit;
  const candidates = refs.filter(({ name }) => name.startsWith(`${BRANCHES}/plan-`));
  return Promise.all(
    candidates.map(async ({ name, target }) => ({
      name: shortBranchName(name),
      commit: target,
      isHeld: own !== null && (await host.isAncestor(target, own)),
      isCheckedOut: worktrees.some(({ head }) => head.branch === name),
    })),
  );
}

function memoryOf({ name, target }: Ref): MemoryTrace {
  return { ref: name, target, key: componentAfter(MEMORIES, name) };
}

function lockOf(lock: LeftBehind['locks'][number]): LockTrace {
  return { ...lock, kind: basename(lock.path) === 'apply.lock' ? 'own-folder' : 'git-file' };
}

function componentAfter(prefix: string, ref: string): string {
  return ref.slice(prefix.length + 1).split('/')[0] ?? '';
}

export function readPointer(path: string): string | null {
  try {
    return /^gitdir: ([^]+?)[\r\n]*$/.exec(readFileSync(join(path, '.git'), 'utf8'))?.[1] ?? null;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES')) return null;
    throw error;
  }
}

function isPointer(path: string, gitDirectory: string): boolean {
  return readPointer(path) === gitDirectory;
}

function realPathIfThere(path: string): readonly string[] {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined ? [] : [realpathSync(path)];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return [];
    throw error;
  }
}
