import type {
  BranchUpdate,
  BranchUpdateRequest,
  LinkedWorktree,
  LostWorktree,
  MergeRequest,
  MergeResult,
  NewWorktree,
  ObjectStore,
  OperationOptions,
  RecoveryReport,
  RefUpdate,
  UncommittedChange,
} from '@cleveragents/git-ports';
import { Deadline } from './deadline.ts';
import { EngineHost } from './engine-host.ts';
import { GitConfig } from './git-config.ts';
import { openLinkedWorktree } from './isomorphic-linked-worktree.ts';
import { addWorktree, beginBranchUpdate, reattachWorktree, recover } from './isomorphic-operations.ts';
import { listUncommitted } from './list-uncommitted.ts';
import { mergeOnObjects } from './merge.ts';
import { PacedObjects } from './paced-objects.ts';
import type { Repository } from './repository.ts';

/** One repository; each method hands over to the file that is named after it. */
export class IsomorphicWorktreeHost extends EngineHost<Repository> {
  readonly engine = 'isomorphic';

  override async updateRef(update: RefUpdate): Promise<void> {
    await this.repository.objects.flush();
    await super.updateRef(update);
  }

  async addWorktree(worktree: NewWorktree, options?: OperationOptions): Promise<LinkedWorktree> {
    const layout = await addWorktree(this.repository, worktree, options);
    return openLinkedWorktree(this.repository, layout);
  }

  openWorktree(path: string, gitDirectory: string): Promise<LinkedWorktree> {
    const { commonDirectory } = this.repository.layout;
    return openLinkedWorktree(this.repository, { workTree: path, gitDirectory, commonDirectory });
  }

  async listUncommitted(options?: OperationOptions): Promise<readonly UncommittedChange[]> {
    const { layout } = this.repository;
    const { workTree } = layout;
    if (workTree === null) return [];
    // ignore rules and switches may have changed since the repository was opened
    const config = await GitConfig.load(layout, this.repository.environment);
    return listUncommitted({ ...this.repository, config, layout: { ...layout, workTree } }, options);
  }

  merge(request: MergeRequest, options?: OperationOptions): Promise<MergeResult> {
    return mergeOnObjects(this.repository, request, options);
  }

  async beginBranchUpdate(request: BranchUpdateRequest, options?: OperationOptions): Promise<BranchUpdate> {
    await this.repository.objects.flush();
    return beginBranchUpdate(this.repository, request, options);
  }

  recover(): Promise<RecoveryReport> {
    return recover(this.repository);
  }

  reattachWorktree(worktree: LostWorktree): Promise<void> {
    return reattachWorktree(this.repository, worktree);
  }

  protected override readObjects(): ObjectStore {
    const { objects, timeoutMs } = this.repository;
    return new PacedObjects(objects, new Deadline({ timeoutMs }));
  }
}
