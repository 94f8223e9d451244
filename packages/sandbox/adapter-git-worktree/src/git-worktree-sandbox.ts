import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { GitEngine } from '@cleveragents/git-ports';
import { SystemClock, UlidGenerator } from '@cleveragents/shared-adapter-fs';
import { type Clock, type IdGenerator, parsePlanId, ValidationError } from '@cleveragents/shared-kernel';
import {
  type CommitResult,
  type SandboxContext,
  SandboxLife,
  type SandboxState,
} from '@cleveragents/sandbox-domain';
import type {
  CallOptions,
  CleanupResult,
  CommitOptions,
  CommitPreview,
  CreateOptions,
  RefreshResult,
  RollbackOptions,
  RollbackResult,
  Sandbox,
  SandboxChanges,
} from '@cleveragents/sandbox-ports';
import { removeSandbox } from './cleanup.ts';
import { commitSandbox, previewCommit } from './commit.ts';
import { containedPath } from './contained-path.ts';
import { createSandbox, removeUncreated } from './creation.ts';
import { engineOf } from './default-engine.ts';
import type { EngineChoice } from './engine-choice.ts';
import { translating } from './error-translation.ts';
import { refreshSandbox } from './refresh.ts';
import { discardChanges, undoCommit } from './rollback.ts';
import { readChanges, readPatch } from './sandbox-changes.ts';
import {
  assertPresent,
  openSession,
  type SessionParts,
  withEngineForContents,
  type WorktreeSession,
} from './worktree-session.ts';

export interface GitWorktreeSandboxOptions {
  readonly resourceId: string;
  /** Root of a git work tree. */
  readonly originalPath: string;
  /** Longest that one git operation may take, in seconds. Default 30. */
  readonly gitTimeout?: number | undefined;
  /** Folder that the worktree is made in; made when it is missing. Default: the system's temp folder. */
  readonly sandboxFolder?: string | undefined;
  /** Default `auto`: the isomorphic engine unless that refuses the repository and git 2.38 or later is installed. */
  readonly engine?: GitEngine | EngineChoice | undefined;
  readonly clock?: Clock | undefined;
  readonly ids?: IdGenerator | undefined;
  /** Where an earlier instance left the sandbox; `pending` when it is left out. */
  readonly state?: SandboxState | undefined;
}

/**
 * A sandbox in a linked git worktree on a branch of its own.
 *
 * ```ts
 * const sandbox = new GitWorktreeSandbox({ resourceId: 'app', originalPath: '/path/to/repo' });
 * const { sandboxPath } = await sandbox.create('plan-1');
 * // ... let an agent write below sandboxPath ...
 * await sandbox.commit('feat: what the plan is for');
 * await sandbox.cleanup();
 * ```
 */
export class GitWorktreeSandbox extends SandboxLife implements Sandbox {
  readonly #sandboxFolder: string;
  readonly #parts: SessionParts;

  /** @throws ValidationError `resource_id cannot be empty`, `original_path cannot be empty`, `git_timeout must be positive`. */
  constructor({ resourceId, originalPath, gitTimeout = 30, ...options }: GitWorktreeSandboxOptions) {
    super({
      resourceId,
      originalPath,
      state: options.state,
      newId: () => (options.ids ?? new UlidGenerator()).next(),
    });
    if (!(gitTimeout > 0)) throw new ValidationError('git_timeout must be positive');
    this.#sandboxFolder = options.sandboxFolder ?? tmpdir();
    this.#parts = {
      engine: engineOf(options.engine),
      clock: options.clock ?? new SystemClock(),
      timeoutMs: gitTimeout * 1000,
    };
  }

  async create(planId: string, options: CreateOptions = {}): Promise<SandboxContext> {
    const parsed = parsePlanId(planId);
    this.assertAllowed('create');
    const context = await translating('create', async () => {
      await mkdir(this.#sandboxFolder, { recursive: true, mode: 0o700 });
      return createSandbox(this.#parts, {
        planId: parsed,
        sandboxId: this.sandboxId,
        resourceId: this.resourceId,
        originalPath: this.originalPath,
        parentFolder: this.#sandboxFolder,
        options,
      });
    });
    this.becomeCreated(context);
    return context;
  }

  async getPath(resourcePath: string): Promise<string> {
    this.assertAllowed('getPath');
    const context = this.existingContext();
    await translating('inspect', () => assertPresent(context));
    const path = await containedPath(context.sandboxPath, resourcePath);
    this.becomeActive();
    return path;
  }

  async changes(options?: CallOptions): Promise<SandboxChanges> {
    this.assertAllowed('inspect');
    return translating('inspect', async () => readChanges(await this.#session(options)));
  }

  async patch(options?: CallOptions): Promise<Uint8Array> {
    this.assertAllowed('inspect');
    return translating('inspect', async () => readPatch(await this.#session(options)));
  }

  async previewCommit(options: CommitOptions = {}): Promise<CommitPreview> {
    this.assertAllowed('inspect');
    return translating('commit', async () => previewCommit(await this.#landingSession(options), options));
  }

  async refresh(options?: CallOptions): Promise<RefreshResult> {
    this.assertAllowed('refresh');
    const result = await translating('commit', async () =>
      refreshSandbox(await this.#landingSession(options)),
    );
    this.#takeUpBase(result.base);
    this.becomeActive();
    return result;
  }

  async commit(message?: string, options: CommitOptions = {}): Promise<CommitResult> {
    this.assertAllowed('commit');
    const { planId } = this.existingContext();
    const text = message === undefined || message.trim() === '' ? `Apply plan ${planId}` : message;
    const result = await translating('commit', async () =>
      commitSandbox(await this.#landingSession(options), text, options),
    );
    this.becomeCommitted(result);
    return result;
  }

  async rollback(options: RollbackOptions = {}): Promise<RollbackResult> {
    this.assertAllowed('rollback');
    const result = await translating('rollback', async () => {
      const session = await this.#session(options);
      return this.state.status === 'committed'
        ? undoCommit(session, this.state.result, options)
        : { rescuedTo: await discardChanges(session), targetRef: null };
    });
    this.becomeRolledBack(result.rescuedTo);
    return result;
  }

  async cleanup(options?: CallOptions): Promise<CleanupResult> {
    this.assertAllowed('cleanup');
    const { state } = this;
    if (state.status === 'cleaned_up') return NOTHING_LEFT;
    if (state.status === 'pending') {
      const removed = await translating('cleanup', () => this.#removeUncreated());
      this.becomeCleanedUp(null);
      return { ...NOTHING_LEFT, worktreeRemoved: removed, branchDeleted: removed };
    }
    const result = await translating('cleanup', async () =>
      removeSandbox(await this.#session(options), state),
    );
    this.becomeCleanedUp(result.rescuedTo);
    return result;
  }

  #removeUncreated(): Promise<boolean> {
    return removeUncreated(this.#parts, { originalPath: this.originalPath, sandboxId: this.sandboxId });
  }

  async #session(options?: CallOptions): Promise<WorktreeSession> {
    const session = await openSession(this.#parts, this.existingContext(), options);
    this.#takeUpBase(session.base);
    return session;
  }

  /** For what brings the sandbox's contents and the target's together. */
  async #landingSession(options?: CallOptions): Promise<WorktreeSession> {
    return withEngineForContents(await this.#session(options));
  }

  /** A refresh may have come further than an earlier instance could write down. */
  #takeUpBase(baseCommit: string): void {
    const { context } = this;
    if (context?.metadata.strategy !== 'git_worktree') return;
    const { metadata } = context;
    if (metadata.baseCommit !== baseCommit)
      this.replaceContext({ ...context, metadata: { ...metadata, baseCommit } });
  }
}

const NOTHING_LEFT: CleanupResult = {
  worktreeRemoved: false,
  branchDeleted: false,
  rescuedTo: null,
  leftOver: [],
};
