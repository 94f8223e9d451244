import { randomBytes } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import { isObjectId } from '@cleveragents/git-domain';
import type { LinkedWorktree, RepositoryFingerprint, WorktreeHost } from '@cleveragents/git-ports';
import {
  type GitWorktreeMetadata,
  type SandboxContext,
  SandboxCreationError,
} from '@cleveragents/sandbox-domain';
import type { CreateOptions } from '@cleveragents/sandbox-ports';
import { hasCode, messageOf, type PlanId, planKey } from '@cleveragents/shared-kernel';
import { chooseBranch } from './branch-choice.ts';
import { inspectOriginal, type UsableRepository } from './creation-checks.ts';
import { notesOf } from './creation-notes.ts';
import {
  assertSourcesExist,
  parseExtraContents,
  placeExtraContents,
  placeUncommittedChanges,
} from './sandbox-contents.ts';
import { SandboxMemory } from './sandbox-memory.ts';
import { type SessionParts, shortBranchName } from './worktree-session.ts';

/** Somebody else may take a branch name between our look and our making it. */
const MAX_ATTEMPTS = 10;

export interface CreationRequest {
  readonly planId: PlanId;
  readonly sandboxId: string;
  readonly resourceId: string;
  readonly originalPath: string;
  /** Existing folder that the worktree is made in. */
  readonly parentFolder: string;
  readonly options: CreateOptions;
}

/** Makes branch and worktree, then what the caller wants in it. Whatever fails, nothing is left behind. */
export async function createSandbox(parts: SessionParts, request: CreationRequest): Promise<SandboxContext> {
  const extras = parseExtraContents(request.options);
  const original = await realPathOf(request.originalPath);
  const facts = await inspectOriginal(parts.engine, request.originalPath, original);
  await assertSourcesExist(original, extras);
  const prefer = facts.chosen?.engine;
  const host = await parts.engine.open(original, { timeoutMs: parts.timeoutMs, prefer });
  await host.recover();
  await removeUnrecorded(host, request.sandboxId);
  await new SandboxMemory(host, planKey(request.planId)).forgetAll();
  const start = await startingPoint(host, facts, request.options);
  const fingerprint = await host.readFingerprint();
  const { worktree, branch } = await addWorktree(host, start.commit, request);
  try {
    if (start.content !== null) await layContent(worktree, start, branch);
    const { signal } = request.options;
    const uncommitted = start.content === null ? await host.listUncommitted({ signal }) : [];
    const takesIn = request.options.includeDirty === true;
    if (takesIn) await placeUncommittedChanges(uncommitted, original, worktree.path);
    const linkedPaths = await placeExtraContents(original, worktree.path, extras);
    const notes = notesOf(facts, {
      leftOut: takesIn ? 0 : uncommitted.length,
      notLinked: extras.link.filter((path) => !linkedPaths.includes(path)),
    });
    return {
      sandboxId: request.sandboxId,
      planId: request.planId,
      resourceId: request.resourceId,
      originalPath: original,
      sandboxPath: worktree.path,
      createdAt: parts.clock.now().toISOString(),
      metadata: {
        ...metadataOf({ host, facts, worktree, branch, base: start.commit, linkedPaths, fingerprint }),
        notes,
      },
    };
  } catch (error) {
    throw await undoCreation(host, { worktree, branch, commit: start.commit }, error);
  }
}

/** Takes back a worktree that cannot be finished. Gives the error to throw. */
async function undoCreation(
  host: WorktreeHost,
  { worktree, branch, commit }: { worktree: LinkedWorktree; branch: string; commit: ObjectId },
  cause: unknown,
): Promise<unknown> {
  const { path, gitDirectory } = worktree;
  try {
    const expected = (await host.readRef(branch)) ?? commit;
    await host.removeWorktree({ path, gitDirectory, branch: { name: branch, expected } });
    return cause;
  } catch (error) {
    return new SandboxCreationError(
      'SANDBOX_CREATION_FAILED',
      `${messageOf(cause)}; to undo it failed too: ${messageOf(error)}`,
      {
        hint: 'See to what the system complains about (disk space, permissions). Then create or clean up the plan again: that removes what is left.',
        data: { path, undone: false },
        cause,
      },
    );
  }
}

/**
 * A process died after it made this very sandbox and before it could write that down: nobody was ever told of it, so
 * nobody worked in it.
 */
async function removeUnrecorded(host: WorktreeHost, sandboxId: string): Promise<boolean> {
  let found = false;
  for (const { path, gitDirectory, owner } of await host.listWorktrees()) {
    if (owner?.sandboxId !== sandboxId) continue;
    const expected = await host.readRef(owner.branch);
    const branch = expected === null ? null : { name: owner.branch, expected };
    await host.removeWorktree({ path, gitDirectory, branch });
    found = true;
  }
  return found;
}

/**
 * Removes what a creation left that was cut short, for good: nobody will create that sandbox again.
 * @returns whether there was anything.
 */
export async function removeUncreated(
  { engine, timeoutMs }: SessionParts,
  { originalPath, sandboxId }: Pick<CreationRequest, 'originalPath' | 'sandboxId'>,
): Promise<boolean> {
  const facts = await engine.inspect(originalPath);
  if (facts === null || facts.unsupported.length > 0) return false;
  const host = await engine.open(originalPath, { timeoutMs });
  await host.recover();
  return removeUnrecorded(host, sandboxId);
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    if (!hasCode(cause, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES')) throw cause;
    throw new SandboxCreationError('SANDBOX_NOT_A_REPOSITORY', `${path} does not exist or cannot be read`, {
      hint: 'Give the path of the project.',
      data: { path },
      cause,
    });
  }
}

interface StartingPoint {
  /** Where the branch begins and what changes are counted from. */
  readonly commit: ObjectId;
  /** A commit whose files are laid over the worktree; null for none. */
  readonly content: ObjectId | null;
}

async function startingPoint(
  host: WorktreeHost,
  { head }: UsableRepository,
  { startFrom }: CreateOptions,
): Promise<StartingPoint> {
  if (startFrom === undefined) return { commit: head.commit, content: null };
  const resolve = async (name: string): Promise<ObjectId> => {
    const id = isObjectId(name) ? name : await host.readRef(name);
    if (id === null || !(await host.objects.has(id)))
      throw new SandboxCreationError('SANDBOX_SOURCE_MISSING', `${name} is not in the repository any more`, {
        hint: 'See `cleveragents plan list --rescued` for what is kept.',
        data: { name },
      });
    return id;
  };
  return { commit: await resolve(startFrom.base), content: await resolve(startFrom.content) };
}

/** Lays the files of a commit over a worktree that stands at the base, so that they show as changes. */
async function layContent(worktree: LinkedWorktree, start: StartingPoint, branch: string): Promise<void> {
  if (start.content === null) return;
  await worktree.restore(start.content, branch);
  await worktree.record(
    start.commit,
    { name: branch, expected: start.content },
    'cleveragents: rescued work laid out',
  );
}

async function addWorktree(
  host: WorktreeHost,
  commit: ObjectId,
  { planId, sandboxId, parentFolder, options }: CreationRequest,
): Promise<{ readonly worktree: LinkedWorktree; readonly branch: string }> {
  const parent = await realpath(parentFolder);
  for (let attempt = 1; ; attempt++) {
    const branch = await chooseBranch(host, planId);
    const path = join(parent, `ca-sandbox-${planKey(planId)}-${randomBytes(4).toString('hex')}`);
    try {
      return {
        worktree: await host.addWorktree({ path, branch, commit, owner: { planId, sandboxId } }, options),
        branch,
      };
    } catch (error) {
      const taken = hasCode(
        error,
        'GIT_REF_EXISTS',
        'GIT_REF_BLOCKED',
        'GIT_REF_MOVED',
        'GIT_WORKTREE_IN_USE',
      );
      if (!taken || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function metadataOf(made: {
  readonly host: WorktreeHost;
  readonly facts: UsableRepository;
  readonly worktree: LinkedWorktree;
  readonly branch: string;
  readonly base: ObjectId;
  readonly linkedPaths: readonly string[];
  readonly fingerprint: RepositoryFingerprint;
}): GitWorktreeMetadata {
  return {
    strategy: 'git_worktree',
    branch: shortBranchName(made.branch),
    baseCommit: made.base,
    targetBranch: made.facts.head.branch === null ? null : shortBranchName(made.facts.head.branch),
    gitDirectory: made.worktree.gitDirectory,
    engine: made.host.engine,
    engineReason: made.facts.chosen?.reason ?? 'the caller gave it',
    linkedPaths: [...made.linkedPaths],
    fingerprint: withoutDistantRefs(made.fingerprint),
  };
}

/** A record does not grow with the number of tags and remote branches. */
function withoutDistantRefs(fingerprint: RepositoryFingerprint): RepositoryFingerprint {
  const refs = Object.entries(fingerprint.refs).filter(([name]) =>
    /^(HEAD$|refs\/heads\/|refs\/stash$)/.test(name),
  );
  return { ...fingerprint, refs: Object.fromEntries(refs) };
}
