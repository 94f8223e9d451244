import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stateDirectory, SystemClock, UlidGenerator } from '@cleveragents/shared-adapter-fs';
import { type Clock, hasCode, type IdGenerator, parsePlanId } from '@cleveragents/shared-kernel';
import {
  type CommitResult,
  type SandboxContext,
  SandboxLife,
  type SandboxState,
  summariseFiles,
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
import { removeSandbox } from './file-copy/cleanup.ts';
import { commitSandbox, previewCommit } from './file-copy/commit.ts';
import { containedPath } from './file-copy/contained-path.ts';
import { createSandbox } from './file-copy/creation.ts';
import { type Call, translating } from './file-copy/error-translation.ts';
import { ProjectState } from './file-copy/project-state.ts';
import { refreshSandbox } from './file-copy/refresh.ts';
import { discardChanges, undoCommit } from './file-copy/rollback.ts';
import {
  assertPresent,
  type CopySession,
  exclusively,
  readContents,
  reportFiles,
  type SessionParts,
  sessionOf,
  settled,
} from './file-copy/session.ts';
import { patchOf } from './file-copy/tree-difference.ts';
import { omissionsOf } from './file-copy/tree-scan.ts';

export interface FileCopySandboxOptions {
  readonly resourceId: string;
  /** Any folder. */
  readonly originalPath: string;
  /** What no sandbox of this resource holds: patterns as in a `.gitignore` at the root. */
  readonly exclude?: readonly string[] | undefined;
  /** Folder that the copy is made in; made when it is missing. Default: the system's temp folder. */
  readonly sandboxFolder?: string | undefined;
  /**
   * Folder for what is kept of sandboxes: base bytes, what an undo needs, rescued work. Made when it is missing.
   * Default: `file-copies` in the user's state directory.
   */
  readonly stateFolder?: string | undefined;
  /** Longest wait for another process that works on the same project, in milliseconds. Default 30,000. */
  readonly lockTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly ids?: IdGenerator | undefined;
  /** Where an earlier instance left the sandbox; `pending` when it is left out. */
  readonly state?: SandboxState | undefined;
}

/**
 * A sandbox that is a copy of a folder, for projects that are no git repository.
 *
 * ```ts
 * const sandbox = new FileCopySandbox({ resourceId: 'notes', originalPath: '/path/to/notes' });
 * const { sandboxPath } = await sandbox.create('plan-1');
 * // ... let an agent write below sandboxPath ...
 * await sandbox.commit();
 * await sandbox.cleanup();
 * ```
 */
export class FileCopySandbox extends SandboxLife implements Sandbox {
  readonly #exclude: readonly string[];
  readonly #sandboxFolder: string;
  readonly #parts: SessionParts;

  /** @throws ValidationError `resource_id cannot be empty`, `original_path cannot be empty`. */
  constructor({ resourceId, originalPath, ...options }: FileCopySandboxOptions) {
    super({
      resourceId,
      originalPath,
      state: options.state,
      newId: () => (options.ids ?? new UlidGenerator()).next(),
    });
    this.#exclude = options.exclude ?? [];
    this.#sandboxFolder = options.sandboxFolder ?? tmpdir();
    this.#parts = {
      stateFolder: options.stateFolder ?? join(stateDirectory(), 'file-copies'),
      clock: options.clock ?? new SystemClock(),
      timeoutMs: options.lockTimeoutMs ?? 30_000,
    };
  }

  async create(planId: string, options: CreateOptions = {}): Promise<SandboxContext> {
    const parsed = parsePlanId(planId);
    this.assertAllowed('create');
    const context = await translating('create', () =>
      createSandbox(this.#parts, {
        planId: parsed,
        sandboxId: this.sandboxId,
        resourceId: this.resourceId,
        originalPath: this.originalPath,
        parentFolder: this.#sandboxFolder,
        exclude: this.#exclude,
        options,
      }),
    );
    this.becomeCreated(context);
    return context;
  }

  async getPath(resourcePath: string): Promise<string> {
    this.assertAllowed('getPath');
    const context = this.existingContext();
    assertPresent(context);
    const path = await containedPath(context.sandboxPath, resourcePath);
    this.becomeActive();
    return path;
  }

  async changes(options?: CallOptions): Promise<SandboxChanges> {
    this.assertAllowed('inspect');
    return this.#reading('inspect', options, async (session) => {
      const contents = await readContents(session);
      const files = await reportFiles(contents);
      const { insertions, deletions } = summariseFiles(files);
      return { files, insertions, deletions, omittedFiles: omissionsOf(contents.scan) };
    });
  }

  async patch(options?: CallOptions): Promise<Uint8Array> {
    this.assertAllowed('inspect');
    return this.#reading('inspect', options, async (session) => {
      const { changes, read } = await readContents(session);
      return patchOf(changes, read);
    });
  }

  async previewCommit(options: CommitOptions = {}): Promise<CommitPreview> {
    this.assertAllowed('inspect');
    return this.#reading('commit', options, previewCommit);
  }

  async refresh(options?: CallOptions): Promise<RefreshResult> {
    this.assertAllowed('refresh');
    const result = await this.#writing('commit', options, refreshSandbox);
    const context = this.existingContext();
    const metadata = { ...context.metadata, base: result.base } as SandboxContext['metadata'];
    this.becomeActive({ ...context, metadata });
    return result;
  }

  /** @param _message is for strategies that write commits; a copy has nowhere to put it. */
  async commit(_message?: string, options: CommitOptions = {}): Promise<CommitResult> {
    this.assertAllowed('commit');
    const result = await this.#writing('commit', options, (session) => commitSandbox(session, options));
    this.becomeCommitted(result);
    return result;
  }

  async rollback(options: RollbackOptions = {}): Promise<RollbackResult> {
    this.assertAllowed('rollback');
    const { state } = this;
    const result = await this.#writing('rollback', options, async (session) =>
      state.status === 'committed'
        ? undoCommit(session, state.result, options)
        : { rescuedTo: await discardChanges(session), targetRef: null },
    );
    this.becomeRolledBack(result.rescuedTo);
    return result;
  }

  async cleanup(options?: CallOptions): Promise<CleanupResult> {
    this.assertAllowed('cleanup');
    const { status } = this;
    if (status === 'cleaned_up') return NOTHING_LEFT;
    if (status === 'pending') {
      const worktreeRemoved = await translating('cleanup', () =>
        new ProjectState(this.#parts.stateFolder, this.#realOriginal()).removeCreation(this.sandboxId),
      );
      this.becomeCleanedUp(null);
      return { ...NOTHING_LEFT, worktreeRemoved };
    }
    const result = await translating('cleanup', async () => {
      const session = this.#session(options);
      const { state, context, timeoutMs } = session;
      return state.locked(`plan ${context.planId}`, timeoutMs, () => removeSandbox(session, status));
    });
    this.becomeCleanedUp(result.rescuedTo);
    return result;
  }

  #reading<T>(
    call: Call,
    options: CallOptions | undefined,
    work: (session: CopySession) => Promise<T>,
  ): Promise<T> {
    return translating(call, async () => {
      const session = this.#session(options);
      await settled(session);
      return work(session);
    });
  }

  #writing<T>(
    call: Call,
    options: CallOptions | undefined,
    work: (session: CopySession) => Promise<T>,
  ): Promise<T> {
    return translating(call, async () => {
      const session = this.#session(options);
      return exclusively(session, () => work(session));
    });
  }

  #session(options?: CallOptions): CopySession {
    return sessionOf(this.#parts, this.existingContext(), options);
  }

  #realOriginal(): string {
    try {
      return realpathSync(this.originalPath);
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES')) throw error;
      return resolve(this.originalPath);
    }
  }
}

const NOTHING_LEFT: CleanupResult = {
  worktreeRemoved: false,
  branchDeleted: false,
  rescuedTo: null,
  leftOver: [],
};
