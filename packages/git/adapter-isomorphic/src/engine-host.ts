import { type Commit, isAncestor, type ObjectId } from '@cleveragents/git-domain';
import {
  type BranchUpdate,
  type BranchUpdateRequest,
  type FileChange,
  GitError,
  type Head,
  type LeftBehind,
  type LinkedWorktree,
  type LostWorktree,
  type MergeRequest,
  type MergeResult,
  type NewWorktree,
  type ObjectStore,
  type OperationOptions,
  type RecoveryReport,
  type Ref,
  type RefUpdate,
  type RepositoryFacts,
  type RepositoryFingerprint,
  type UncommittedChange,
  type WorktreeEntry,
  type WorktreeHost,
  type WorktreeRemoval,
  type WorktreeRemovalResult,
} from '@cleveragents/git-ports';
import { examine } from './examine.ts';
import { readFingerprint } from './fingerprint.ts';
import { GitConfig } from './git-config.ts';
import { listCommits } from './history.ts';
import { type Identity, readIdentity } from './identity.ts';
import { removeWorktree } from './remove-worktree.ts';
import type { RepositoryCore } from './repository.ts';
import { restoreSetting } from './restore-setting.ts';
import { compareTrees, formatPatch } from './tree-comparison.ts';
import { listWorktrees } from './worktree-admin.ts';

/** What a host does the same way whichever engine reads and makes content; that engine adds the rest. */
export abstract class EngineHost<
  Own extends RepositoryCore & { readonly objects: ObjectStore },
> implements WorktreeHost {
  abstract readonly engine: WorktreeHost['engine'];
  readonly facts: RepositoryFacts;
  protected readonly repository: Own;

  constructor(repository: Own, facts: RepositoryFacts) {
    this.repository = repository;
    this.facts = facts;
  }

  abstract addWorktree(worktree: NewWorktree, options?: OperationOptions): Promise<LinkedWorktree>;
  abstract openWorktree(path: string, gitDirectory: string): Promise<LinkedWorktree>;
  abstract listUncommitted(options?: OperationOptions): Promise<readonly UncommittedChange[]>;
  abstract merge(request: MergeRequest, options?: OperationOptions): Promise<MergeResult>;
  abstract beginBranchUpdate(request: BranchUpdateRequest, options?: OperationOptions): Promise<BranchUpdate>;
  abstract recover(): Promise<RecoveryReport>;
  abstract reattachWorktree(worktree: LostWorktree): Promise<void>;

  get objects(): ObjectStore {
    return this.repository.objects;
  }

  readHead(): Promise<Head> {
    return this.repository.refs.readHead(this.repository.layout.gitDirectory);
  }

  readRef(name: string): Promise<ObjectId | null> {
    return this.repository.refs.read(name);
  }

  listRefs(prefix: string): Promise<readonly Ref[]> {
    return this.repository.refs.list(prefix);
  }

  async updateRef(update: RefUpdate): Promise<void> {
    const { objects, refs, timeoutMs } = this.repository;
    if (!(await objects.has(update.target)))
      throw new GitError(
        'GIT_OBJECT_MISSING',
        `${update.name} cannot point to ${update.target}: no such object`,
        { data: { id: update.target, ref: update.name } },
      );
    await refs.update(update, { timeoutMs });
  }

  deleteRef(name: string, expected: ObjectId): Promise<void> {
    const { refs, timeoutMs } = this.repository;
    return refs.delete(name, expected, { timeoutMs });
  }

  listWorktrees(): Promise<readonly WorktreeEntry[]> {
    return listWorktrees(this.repository.layout, this.repository.refs);
  }

  removeWorktree(removal: WorktreeRemoval, options?: OperationOptions): Promise<WorktreeRemovalResult> {
    return removeWorktree(this.repository, removal, options);
  }

  compareTrees(from: ObjectId | null, to: ObjectId): Promise<readonly FileChange[]> {
    return compareTrees(this.readObjects(), from, to);
  }

  formatPatch(from: ObjectId | null, to: ObjectId): Promise<Uint8Array> {
    return formatPatch(this.readObjects(), from, to);
  }

  isAncestor(ancestor: ObjectId, descendant: ObjectId): Promise<boolean> {
    return isAncestor(this.readObjects(), ancestor, descendant);
  }

  listCommits(
    from: ObjectId,
    to: ObjectId,
    limit: number,
  ): Promise<readonly { readonly id: ObjectId; readonly commit: Commit }[]> {
    return listCommits(this.readObjects(), { from, to, limit });
  }

  async readIdentity(): Promise<Identity> {
    const { layout, environment } = this.repository;
    return readIdentity(await GitConfig.load(layout, environment), environment);
  }

  readFingerprint(): Promise<RepositoryFingerprint> {
    const { layout, refs, environment } = this.repository;
    return readFingerprint(layout, refs, environment);
  }

  examine(): Promise<LeftBehind> {
    return examine(this.repository.layout);
  }

  restoreSetting(name: string, value: string | null): Promise<void> {
    return restoreSetting(this.repository, name, value);
  }

  /** For one call that reads many: an engine that reads without a pause can put its pauses here. */
  protected readObjects(): ObjectStore {
    return this.repository.objects;
  }
}
