import type {
  BranchUpdate,
  BranchUpdateRequest,
  LinkedWorktree,
  LostWorktree,
  MergeRequest,
  MergeResult,
  NewWorktree,
  OperationOptions,
  RecoveryReport,
  UncommittedChange,
} from '@cleveragents/git-ports';
import { advanceIndex, surveyOf } from './branch-survey.ts';
import { tellingAfterwards } from './hooks.ts';
import { listUncommitted } from './list-uncommitted.ts';
import { mergeCommits } from './merge.ts';
import { NATIVE_CONTENT, openLinkedWorktree } from './native-linked-worktree.ts';
import { type NativeRepository, placeOf } from './native-repository.ts';
import { fillWith } from './populate-worktree.ts';
import {
  addWorktree,
  beginBranchUpdate,
  Deadline,
  EngineHost,
  finishRestore,
  reattachWorktree,
  recover,
} from './shared-parts.ts';

/** One repository. What moves refs and files is shared with the other engine; what reads and makes content is git's. */
export class NativeWorktreeHost extends EngineHost<NativeRepository> {
  readonly engine = 'native';

  async addWorktree(worktree: NewWorktree, options?: OperationOptions): Promise<LinkedWorktree> {
    await this.repository.objects.readCommit(worktree.commit);
    const fill = fillWith(this.repository, worktree.commit);
    const layout = await addWorktree(this.repository, worktree, fill, options);
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
    return listUncommitted({ ...this.repository, layout: { ...layout, workTree } }, options);
  }

  merge(request: MergeRequest, options?: OperationOptions): Promise<MergeResult> {
    return mergeCommits(this.repository, request, options);
  }

  async beginBranchUpdate(request: BranchUpdateRequest, options?: OperationOptions): Promise<BranchUpdate> {
    const { repository } = this;
    const update = await beginBranchUpdate(repository, request, surveyOf(repository), options);
    return repository.runsHooks ? tellingAfterwards(repository, update) : update;
  }

  recover(): Promise<RecoveryReport> {
    return recover(this.repository, {
      finishRestore: (entry) => finishRestore(this.repository, entry, NATIVE_CONTENT),
      advanceIndex: (layout, entries) => advanceIndex(this.repository, layout, entries),
    });
  }

  reattachWorktree(worktree: LostWorktree): Promise<void> {
    const { git, timeoutMs } = this.repository;
    return reattachWorktree(this.repository, worktree, async (layout) => {
      const deadline = new Deadline({ timeoutMs });
      await git.run({ place: placeOf(layout), args: ['read-tree', worktree.commit], deadline });
    });
  }
}
