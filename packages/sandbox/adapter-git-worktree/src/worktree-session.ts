import { access } from 'node:fs/promises';
import {
  type EngineName,
  type GitEngine,
  GitError,
  type LinkedWorktree,
  type OperationOptions,
  type RepositoryFacts,
  type WorktreeHost,
} from '@cleveragents/git-ports';
import type { ObjectId } from '@cleveragents/git-domain';
import { parseObjectId } from '@cleveragents/git-domain';
import type { GitWorktreeMetadata, SandboxContext } from '@cleveragents/sandbox-domain';
import type { CallOptions } from '@cleveragents/sandbox-ports';
import type { Clock, PlanKey } from '@cleveragents/shared-kernel';
import { hasCode, parsePlanId, planKey } from '@cleveragents/shared-kernel';
import { SandboxMemory } from './sandbox-memory.ts';

/** Everything that one call on a sandbox works with. */
export interface WorktreeSession {
  readonly engine: GitEngine;
  readonly host: WorktreeHost;
  readonly clock: Clock;
  readonly context: SandboxContext;
  readonly metadata: GitWorktreeMetadata;
  readonly key: PlanKey;
  readonly memory: SandboxMemory;
  /** What changes are counted from: the context's, or a later one that a refresh brought in and could not write down. */
  readonly base: ObjectId;
  /** Full name of the sandbox's own branch. */
  readonly branch: string;
  readonly timeoutMs: number;
  readonly options: OperationOptions;
}

export interface SessionParts {
  readonly engine: GitEngine;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Opens the repository of a sandbox and sets right what a dead process left half-done. */
export async function openSession(
  parts: SessionParts,
  context: SandboxContext,
  options: CallOptions = {},
): Promise<WorktreeSession> {
  const { metadata } = context;
  if (metadata.strategy !== 'git_worktree')
    throw new Error(`not a git worktree sandbox: ${metadata.strategy}`);
  const host = await openOriginal(parts, context);
  await host.recover();
  const key = planKey(parsePlanId(context.planId));
  const session = {
    ...parts,
    host,
    context,
    metadata,
    key,
    memory: new SandboxMemory(host, key),
    base: parseObjectId(metadata.baseCommit),
    branch: fullBranchName(metadata.branch),
    options: { signal: options.signal, onProgress: options.onProgress },
  };
  return { ...session, base: await presentBase(session) };
}

/**
 * The session in an engine that can do what has come into the sandbox, too: an agent may add a filter, or line ends of
 * its own, and files that are written without them would not be what git says they are.
 * @throws GitError `GIT_UNSUPPORTED_REPOSITORY`.
 */
export async function withEngineForContents(session: WorktreeSession): Promise<WorktreeSession> {
  const { engine, context, timeoutMs } = session;
  const facts = await engine.inspect(context.sandboxPath);
  if (facts === null) return session; // broken, as the next step will say
  if (facts.unsupported.length > 0) throw unsupportedContents(context, facts);
  if (facts.chosen?.engine !== 'native') return session;
  return { ...session, host: await engine.open(context.originalPath, { timeoutMs, prefer: 'native' }) };
}

function unsupportedContents({ sandboxPath }: SandboxContext, { unsupported }: RepositoryFacts): GitError {
  const details = unsupported.map(({ detail }) => detail).join('; ');
  return new GitError('GIT_UNSUPPORTED_REPOSITORY', `The plan adds what this engine cannot do: ${details}`, {
    hint: [...new Set(unsupported.map(({ wayOut }) => wayOut))].join(' '),
    data: { path: sandboxPath, features: unsupported.map(({ feature }) => feature), unsupported },
  });
}

/** A refresh remembers the new base first: it is the base from the moment on that the worktree holds it. */
async function presentBase(session: WorktreeSession): Promise<ObjectId> {
  const { host, base, memory } = session;
  const refreshed = await memory.recallBase();
  if (refreshed === null || refreshed === base || !(await host.isAncestor(base, refreshed))) return base;
  try {
    const worktree = await openWorktree(session);
    const head = (await worktree.readHead()).commit ?? base;
    if (await host.isAncestor(refreshed, head)) return refreshed;
    return (await worktree.capture(session.options)).mergeHead === refreshed ? refreshed : base;
  } catch (error) {
    if (hasCode(error, 'GIT_WORKTREE_BROKEN')) return base;
    throw error;
  }
}

async function openOriginal(
  { engine, timeoutMs }: SessionParts,
  { originalPath, sandboxPath, metadata }: SandboxContext,
): Promise<WorktreeHost> {
  try {
    return await engine.open(originalPath, { timeoutMs, prefer: engineNameOf(metadata) });
  } catch (cause) {
    if (!hasCode(cause, 'GIT_NOT_A_REPOSITORY') || (await isThere(originalPath))) throw cause;
    throw new GitError(
      'GIT_NOT_A_REPOSITORY',
      `The project of this plan is not at ${originalPath} any more`,
      {
        hint: `Move it back there to go on. The plan's files are in ${sandboxPath}.`,
        data: { originalPath, sandboxPath },
        cause,
      },
    );
  }
}

/** The engine that made the sandbox, where we know its name. */
function engineNameOf(metadata: SandboxContext['metadata']): EngineName | undefined {
  const name = metadata['engine'];
  return name === 'isomorphic' || name === 'native' ? name : undefined;
}

/** @throws GitError `GIT_WORKTREE_BROKEN`. */
export async function openWorktree(session: WorktreeSession): Promise<LinkedWorktree> {
  const { host, context, metadata } = session;
  await assertPresent(context);
  return host.openWorktree(context.sandboxPath, metadata.gitDirectory);
}

/** @throws GitError `GIT_WORKTREE_BROKEN` when the folder of a sandbox is gone. */
export async function assertPresent({ sandboxPath }: SandboxContext): Promise<void> {
  if (await isThere(sandboxPath)) return;
  throw new GitError('GIT_WORKTREE_BROKEN', `The folder of the sandbox is gone: ${sandboxPath}`, {
    hint: 'Save what git can still reach with `cleveragents plan cleanup`; then `cleveragents plan restore` brings that back.',
    data: { sandboxPath },
  });
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

export function fullBranchName(short: string): string {
  return `refs/heads/${short}`;
}

export function shortBranchName(full: string): string {
  return full.replace(/^refs\/heads\//, '');
}

export async function treeOf(host: WorktreeHost, commit: ObjectId): Promise<ObjectId> {
  return (await host.objects.readCommit(commit)).tree;
}
