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
import { Deadline } from './deadline.ts';
import { examine } from './examine.ts';
import { readFingerprint } from './fingerprint.ts';
import { GitConfig } from './git-config.ts';
import { listCommits } from './history.ts';
import { type Identity, readIdentity } from './identity.ts';
import { IsomorphicLinkedWorktree } from './isomorphic-linked-worktree.ts';
import { listUncommitted } from './list-uncommitted.ts';
import type { LockOptions } from './lock-file.ts';
import { mergeOnObjects } from './merge.ts';
import { addWorktree, beginBranchUpdate, reattachWorktree, recover } from './isomorphic-operations.ts';
import { PacedObjects } from './paced-objects.ts';
import { removeWorktree } from './remove-worktree.ts';
import type { Repository } from './repository.ts';
import { restoreSetting } from './restore-setting.ts';
import { compareTrees, formatPatch } from './tree-comparison.ts';
import { listWorktrees } from './worktree-admin.ts';

/** One repository; each method hands over to the file that is named after it. */
export class IsomorphicWorktreeHost implements WorktreeHost {
  readonly engine = 'isomorphic';
  readonly facts: RepositoryFacts;
  readonly #repository: Repository;

  constructor(repository: Repository, facts: RepositoryFacts) {
    this.#repository = repository;
    this.facts = facts;
  }

  get objects(): ObjectStore {
    return this.#repository.objects;
  }

  readHead(): Promise<Head> {
    return this.#repository.refs.readHead(this.#repository.layout.gitDirectory);
  }

  readRef(name: string): Promise<ObjectId | null> {
    return this.#repository.refs.read(name);
  }

  listRefs(prefix: string): Promise<readonly Ref[]> {
    return this.#repository.refs.list(prefix);
  }

  async updateRef(update: RefUpdate): Promise<void> {
    const { objects, refs } = this.#repository;
    if (!objects.hasSync(update.target))
      throw new GitError(
        'GIT_OBJECT_MISSING',
        `${update.name} cannot point to ${update.target}: no such object`,
        {
          data: { id: update.target, ref: update.name },
        },
      );
    await objects.flush();
    await refs.update(update, this.#lockOptions());
  }

  deleteRef(name: string, expected: ObjectId): Promise<void> {
    return this.#repository.refs.delete(name, expected, this.#lockOptions());
  }

  listWorktrees(): Promise<readonly WorktreeEntry[]> {
    return listWorktrees(this.#repository.layout, this.#repository.refs);
  }

  async addWorktree(worktree: NewWorktree, options?: OperationOptions): Promise<LinkedWorktree> {
    const layout = await addWorktree(this.#repository, worktree, options);
    return IsomorphicLinkedWorktree.open(this.#repository, layout);
  }

  openWorktree(path: string, gitDirectory: string): Promise<LinkedWorktree> {
    const { commonDirectory } = this.#repository.layout;
    return IsomorphicLinkedWorktree.open(this.#repository, { workTree: path, gitDirectory, commonDirectory });
  }

  removeWorktree(removal: WorktreeRemoval, options?: OperationOptions): Promise<WorktreeRemovalResult> {
    return removeWorktree(this.#repository, removal, options);
  }

  async listUncommitted(options?: OperationOptions): Promise<readonly UncommittedChange[]> {
    const { layout } = this.#repository;
    const { workTree } = layout;
    if (workTree === null) return [];
    // ignore rules and switches may have changed since the repository was opened
    const config = await GitConfig.load(layout, this.#repository.environment);
    return listUncommitted({ ...this.#repository, config, layout: { ...layout, workTree } }, options);
  }

  compareTrees(from: ObjectId | null, to: ObjectId): Promise<readonly FileChange[]> {
    return compareTrees(this.#pacedObjects(), from, to);
  }

  formatPatch(from: ObjectId | null, to: ObjectId): Promise<Uint8Array> {
    return formatPatch(this.#pacedObjects(), from, to);
  }

  isAncestor(ancestor: ObjectId, descendant: ObjectId): Promise<boolean> {
    return isAncestor(this.#pacedObjects(), ancestor, descendant);
  }

  listCommits(
    from: ObjectId,
    to: ObjectId,
    limit: number,
  ): Promise<readonly { readonly id: ObjectId; readonly commit: Commit }[]> {
    return listCommits(this.#pacedObjects(), { from, to, limit });
  }

  merge(request: MergeRequest, options?: OperationOptions): Promise<MergeResult> {
    return mergeOnObjects(this.#repository, request, options);
  }

  async readIdentity(): Promise<Identity> {
    const { layout, environment } = this.#repository;
    return readIdentity(await GitConfig.load(layout, environment), environment);
  }

  async beginBranchUpdate(request: BranchUpdateRequest, options?: OperationOptions): Promise<BranchUpdate> {
    await this.#repository.objects.flush();
    return beginBranchUpdate(this.#repository, request, options);
  }

  readFingerprint(): Promise<RepositoryFingerprint> {
    const { layout, refs, environment } = this.#repository;
    return readFingerprint(layout, refs, environment);
  }

  recover(): Promise<RecoveryReport> {
    return recover(this.#repository);
  }

  examine(): Promise<LeftBehind> {
    return examine(this.#repository.layout);
  }

  reattachWorktree(worktree: LostWorktree): Promise<void> {
    return reattachWorktree(this.#repository, worktree);
  }

  restoreSetting(name: string, value: string | null): Promise<void> {
    return restoreSetting(this.#repository, name, value);
  }

  #lockOptions(): LockOptions {
    return { timeoutMs: this.#repository.timeoutMs };
  }

  #pacedObjects(): ObjectStore {
    const { objects, timeoutMs } = this.#repository;
    return new PacedObjects(objects, new Deadline({ timeoutMs }));
  }
}
