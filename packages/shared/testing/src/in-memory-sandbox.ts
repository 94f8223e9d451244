import {
  type CommitResult,
  findOverlaps,
  type FileReport,
  NOTHING_COMMITTED,
  type Overlap,
  SandboxCommitError,
  type SandboxContext,
  SandboxError,
  type SandboxFacts,
  SandboxLife,
  SandboxRollbackError,
  type SandboxState,
  summariseFiles,
  type TargetPath,
} from '@cleveragents/sandbox-domain';
import type {
  CallOptions,
  CleanupResult,
  CommitPreview,
  RefreshResult,
  RescuedWork,
  RollbackResult,
  Sandbox,
  SandboxChanges,
  SandboxFactory,
} from '@cleveragents/sandbox-ports';
import { type Clock, type IdGenerator, parsePlanId, parseRelativePath } from '@cleveragents/shared-kernel';

type FileMap = Map<string, string>;

/** What stands for a disk: directories of files by path. */
export class InMemoryProjects {
  readonly directories = new Map<string, FileMap>();
  /** What each sandbox began with, and what its commit replaced, by sandbox id. */
  readonly bases = new Map<string, FileMap>();
  readonly replaced = new Map<string, FileMap>();

  at(path: string): FileMap {
    const files = this.directories.get(path) ?? new Map<string, string>();
    this.directories.set(path, files);
    return files;
  }
}

interface Parts {
  readonly projects: InMemoryProjects;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly resourceId: string;
  readonly originalPath: string;
  readonly state?: SandboxState | undefined;
}

/** A sandbox over maps, by the rules of the domain: for tests that are not about any real strategy. */
export class InMemorySandbox extends SandboxLife implements Sandbox {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    super({ ...parts, newId: () => parts.ids.next() });
    this.#parts = parts;
  }

  async create(planId: string): Promise<SandboxContext> {
    const id = parsePlanId(planId);
    this.assertAllowed('create');
    const { projects, originalPath, resourceId, clock } = this.#parts;
    const original = projects.at(originalPath);
    projects.directories.set(this.#sandboxPath, new Map(original));
    projects.bases.set(this.sandboxId, new Map(original));
    const context: SandboxContext = {
      sandboxId: this.sandboxId,
      planId: id,
      resourceId,
      originalPath,
      sandboxPath: this.#sandboxPath,
      createdAt: clock.now().toISOString(),
      metadata: { strategy: 'file_copy' },
    };
    this.becomeCreated(context);
    return context;
  }

  async getPath(resourcePath: string): Promise<string> {
    this.assertAllowed('getPath');
    const path = resourcePath === '.' ? '' : `/${parseRelativePath(resourcePath)}`;
    this.becomeActive();
    return this.#sandboxPath + path;
  }

  async changes(options: CallOptions = {}): Promise<SandboxChanges> {
    this.assertAllowed('inspect');
    assertNotAborted(options);
    const files = compare(this.#base, this.#files);
    const { insertions, deletions } = summariseFiles(files);
    return { files, insertions, deletions, omittedFiles: [] };
  }

  async patch(): Promise<Uint8Array> {
    const { files } = await this.changes();
    return new TextEncoder().encode(files.map(({ path, kind }) => `${kind} ${path}\n`).join(''));
  }

  async previewCommit(options: CallOptions = {}): Promise<CommitPreview> {
    const changes = await this.changes(options);
    const overlaps = this.#overlaps(this.#base, this.#files);
    return { ...changes, targetBranch: null, conflicts: [], overlaps };
  }

  async refresh(): Promise<RefreshResult> {
    this.assertAllowed('refresh');
    return { kind: 'up-to-date', conflicts: [], base: '0'.repeat(40) };
  }

  async commit(_message?: string, options: CallOptions = {}): Promise<CommitResult> {
    this.assertAllowed('commit');
    assertNotAborted(options);
    const overlaps = this.#overlaps(this.#base, this.#files);
    if (overlaps.length > 0)
      throw new SandboxCommitError('SANDBOX_TARGET_DIRTY', describe(overlaps), { data: { overlaps } });
    const files = compare(this.#base, this.#files);
    this.#parts.projects.replaced.set(this.sandboxId, new Map(this.#files));
    move(this.#original, files, this.#files);
    const result = { ...NOTHING_COMMITTED, ...summariseFiles(files) };
    this.becomeCommitted(result);
    return result;
  }

  async rollback(): Promise<RollbackResult> {
    this.assertAllowed('rollback');
    const taken = this.#parts.projects.replaced.get(this.sandboxId);
    if (this.status === 'committed' && taken !== undefined) {
      const overlaps = this.#overlaps(taken, this.#base);
      if (overlaps.length > 0) throw new SandboxRollbackError('SANDBOX_ROLLBACK_FAILED', describe(overlaps));
      move(this.#original, compare(taken, this.#base), this.#base);
    }
    this.#parts.projects.directories.set(this.#sandboxPath, new Map(this.#base));
    this.becomeRolledBack(null);
    return { rescuedTo: null, targetRef: null };
  }

  async cleanup(): Promise<CleanupResult> {
    this.assertAllowed('cleanup');
    const worktreeRemoved = this.#parts.projects.directories.delete(this.#sandboxPath);
    this.becomeCleanedUp(null);
    return { worktreeRemoved, branchDeleted: worktreeRemoved, rescuedTo: null, leftOver: [] };
  }

  get #sandboxPath(): string {
    return `/sandboxes/${this.sandboxId}`;
  }

  get #files(): FileMap {
    return this.#parts.projects.at(this.#sandboxPath);
  }

  get #original(): FileMap {
    return this.#parts.projects.at(this.#parts.originalPath);
  }

  get #base(): FileMap {
    return this.#parts.projects.bases.get(this.sandboxId) ?? new Map();
  }

  #overlaps(from: FileMap, to: FileMap): readonly Overlap[] {
    return findOverlaps(compare(from, to).map(({ path }) => this.#factsOf(path, from, to)));
  }

  #factsOf(path: string, from: FileMap, to: FileMap): TargetPath {
    const [before, after, now] = [from.get(path), to.get(path), this.#original.get(path)];
    const disk =
      now === after ? (now === undefined ? 'absent' : 'after') : now === before ? 'before' : 'other';
    return {
      path,
      before: before === undefined ? null : {},
      after: after === undefined ? null : {},
      index: before === undefined ? 'absent' : 'before',
      disk: now === undefined ? 'absent' : disk,
      occupants: [],
      ignored: false,
      unwatched: false,
      blockedParent: null,
      collidesWith: null,
    };
  }
}

/** Makes {@link InMemorySandbox}es that share projects. */
export class InMemorySandboxFactory implements SandboxFactory {
  readonly strategy: SandboxFactory['strategy'];
  readonly #parts: Pick<Parts, 'projects' | 'clock' | 'ids'>;

  constructor(
    parts: Pick<Parts, 'projects' | 'clock' | 'ids'>,
    strategy: SandboxFactory['strategy'] = 'git_worktree',
  ) {
    this.#parts = parts;
    this.strategy = strategy;
  }

  make(resource: { readonly resourceId: string; readonly originalPath: string }): Sandbox {
    return new InMemorySandbox({ ...this.#parts, ...resource });
  }

  reopen(
    resource: { readonly resourceId: string; readonly originalPath: string },
    state: SandboxState,
  ): Sandbox {
    return new InMemorySandbox({ ...this.#parts, ...resource, state });
  }

  async recover(): Promise<readonly string[]> {
    return [];
  }

  async listRescued(): Promise<readonly RescuedWork[]> {
    return [];
  }

  async inspect(): Promise<SandboxFacts> {
    const { strategy } = this;
    const nothing = { traces: [], branches: [], memories: [], rescues: [], operations: [], locks: [] };
    return { strategy, ...nothing, damage: null, fingerprint: null };
  }

  async repair(): Promise<string> {
    return 'Nothing had to be done.';
  }
}

function compare(from: FileMap, to: FileMap): readonly FileReport[] {
  const paths = [...new Set([...from.keys(), ...to.keys()])].sort();
  return paths.flatMap((path) => {
    const [before, after] = [from.get(path), to.get(path)];
    if (before === after) return [];
    const kind = before === undefined ? 'added' : after === undefined ? 'deleted' : 'modified';
    const [old, next] = [linesOf(before), linesOf(after)];
    const insertions = next.filter((line) => !old.includes(line)).length;
    const deletions = old.filter((line) => !next.includes(line)).length;
    return [{ path, kind, renamedFrom: null, binary: false, insertions, deletions } as const];
  });
}

function linesOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split('\n').slice(0, -1);
}

function move(target: FileMap, files: readonly FileReport[], source: FileMap): void {
  for (const { path } of files) {
    const text = source.get(path);
    if (text === undefined) target.delete(path);
    else target.set(path, text);
  }
}

function describe(overlaps: readonly Overlap[]): string {
  return `in the way: ${overlaps.map(({ path }) => path).join(', ')}`;
}

function assertNotAborted({ signal }: CallOptions): void {
  if (signal?.aborted === true) throw new SandboxError('SANDBOX_ABORTED', 'The call was aborted');
}
