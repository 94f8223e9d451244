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
import { advanceIndex, surveyOf } from './branch-survey.ts';
import { tellingAfterwards } from './hooks.ts';
import { listUncommitted } from './list-uncommitted.ts';
import { mergeCommits } from './merge.ts';
import { NativeLinkedWorktree } from './native-linked-worktree.ts';
import { type NativeRepository, placeOf } from './native-repository.ts';
import { fillWith } from './populate-worktree.ts';
import { finishRestore } from './restore.ts';
import {
  addWorktree,
  beginBranchUpdate,
  compareTrees,
  Deadline,
  examine,
  formatPatch,
  GitConfig,
  type Identity,
  listCommits,
  listWorktrees,
  readFingerprint,
  readIdentity,
  reattachWorktree,
  recover,
  removeWorktree,
  restoreSetting,
} from './shared-parts.ts';

/** One repository. What moves refs and files is shared with the other engine; what reads and makes content is git's. */
export class NativeWorktreeHost implements WorktreeHost {
  readonly engine = 'native';
  readonly facts: RepositoryFacts;
  readonly #repository: NativeRepository;

  constructor(repository: NativeRepository, facts: RepositoryFacts) {
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
    const { objects, refs, timeoutMs } = this.#repository;
    if (!(await objects.has(update.target)))
      throw new GitError(
        'GIT_OBJECT_MISSING',
        `${update.name} cannot point to ${update.target}: no such object`,
        { data: { id: update.target, ref: update.name } },
      );
    await refs.update(update, { timeoutMs });
  }

  deleteRef(name: string, expected: ObjectId): Promise<void> {
    const { refs, timeoutMs } = this.#repository;
    return refs.delete(name, expected, { timeoutMs });
  }

  listWorktrees(): Promise<readonly WorktreeEntry[]> {
    return listWorktrees(this.#repository.layout, this.#repository.refs);
  }

  async addWorktree(worktree: NewWorktree, options?: OperationOptions): Promise<LinkedWorktree> {
    await this.#repository.objects.readCommit(worktree.commit);
    const fill = fillWith(this.#repository, worktree.commit);
    const layout = await addWorktree(this.#repository, worktree, fill, options);
    return NativeLinkedWorktree.open(this.#repository, layout);
  }

  async openWorktree(path: string, gitDirectory: string): Promise<LinkedWorktree> {
    const { commonDirectory } = this.#repository.layout;
    return NativeLinkedWorktree.open(this.#repository, { workTree: path, gitDirectory, commonDirectory });
  }

  removeWorktree(removal: WorktreeRemoval, options?: OperationOptions): Promise<WorktreeRemovalResult> {
    return removeWorktree(this.#repository, removal, options);
  }

  async listUncommitted(options?: OperationOptions): Promise<readonly UncommittedChange[]> {
    const { workTree } = this.#repository.layout;
    if (workTree === null) return [];
    return listUncommitted(
      { ...this.#repository, layout: { ...this.#repository.layout, workTree } },
      options,
    );
  }

  compareTrees(from: ObjectId | null, to: ObjectId): Promise<readonly FileChange[]> {
    return compareTrees(this.#repository.objects, from, to);
  }

  formatPatch(from: ObjectId | null, to: ObjectId): Promise<Uint8Array> {
    return formatPatch(this.#repository.objects, from, to);
  }

  isAncestor(ancestor: ObjectId, descendant: ObjectId): Promise<boolean> {
    return isAncestor(this.#repository.objects, ancestor, descendant);
  }

  listCommits(
    from: ObjectId,
    to: ObjectId,
    limit: number,
  ): Promise<readonly { readonly id: ObjectId; readonly commit: Commit }[]> {
    return listCommits(this.#repository.objects, { from, to, limit });
  }

  merge(request: MergeRequest, options?: OperationOptions): Promise<MergeResult> {
    return mergeCommits(this.#repository, request, options);
  }

  async readIdentity(): Promise<Identity> {
    const { layout, environment } = this.#repository;
    return readIdentity(await GitConfig.load(layout, environment), environment);
  }

  async beginBranchUpdate(request: BranchUpdateRequest, options?: OperationOptions): Promise<BranchUpdate> {
    const repository = this.#repository;
    const update = await beginBranchUpdate(repository, request, surveyOf(repository), options);
    return repository.runsHooks ? tellingAfterwards(repository, update) : update;
  }

  readFingerprint(): Promise<RepositoryFingerprint> {
    const { layout, refs, environment } = this.#repository;
    return readFingerprint(layout, refs, environment);
  }

  recover(): Promise<RecoveryReport> {
    return recover(this.#repository, {
      finishRestore: (entry) => finishRestore(this.#repository, entry),
      advanceIndex: (layout, entries) => advanceIndex(this.#repository, layout, entries),
    });
  }

  examine(): Promise<LeftBehind> {
    return examine(this.#repository.layout);
  }

  reattachWorktree(worktree: LostWorktree): Promise<void> {
    const { git, timeoutMs } = this.#repository;
    return reattachWorktree(this.#repository, worktree, async (layout) => {
      const deadline = new Deadline({ timeoutMs });
      await git.run({ place: placeOf(layout), args: ['read-tree', worktree.commit], deadline });
    });
  }

  restoreSetting(name: string, value: string | null): Promise<void> {
    return restoreSetting(this.#repository, name, value);
  }
}
