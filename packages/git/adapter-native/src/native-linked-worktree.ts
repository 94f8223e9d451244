import type { ObjectId } from '@cleveragents/git-domain';
import {
  type CapturedTree,
  type CaptureOptions,
  GitError,
  type Head,
  type LinkedWorktree,
  type OperationOptions,
} from '@cleveragents/git-ports';
import { beginMerge, type MergeToBegin } from './begin-merge.ts';
import { captureTree } from './capture.ts';
import type { NativeRepository, WorktreeRepository } from './native-repository.ts';
import { recordCommit } from './record-commit.ts';
import { restoreWorktree } from './restore.ts';
import {
  adminPointsTo,
  fileSystemError,
  GitConfig,
  pointsTo,
  RefStore,
  type WorktreeLayout,
} from './shared-parts.ts';

/** See `LinkedWorktree`. Looks before each operation whether the folder is still that worktree. */
export class NativeLinkedWorktree implements LinkedWorktree {
  readonly path: string;
  readonly gitDirectory: string;
  readonly #repository: WorktreeRepository;

  private constructor(repository: WorktreeRepository) {
    this.#repository = repository;
    this.path = repository.layout.workTree;
    this.gitDirectory = repository.layout.gitDirectory;
  }

  /** @throws GitError `GIT_WORKTREE_BROKEN`. */
  static open(repository: NativeRepository, layout: WorktreeLayout): NativeLinkedWorktree {
    requireIntact(layout);
    return new NativeLinkedWorktree({ ...repository, layout });
  }

  readHead(): Promise<Head> {
    return this.#guarded('read HEAD', ({ refs }) => refs.readHead(this.gitDirectory));
  }

  capture(options: CaptureOptions = {}): Promise<CapturedTree> {
    return this.#guarded('capture', (repository) => captureTree(repository, options));
  }

  record(
    commit: ObjectId,
    branch: { readonly name: string; readonly expected: ObjectId },
    message: string,
  ): Promise<void> {
    return this.#guarded('record', (repository) => recordCommit(repository, { commit, branch, message }));
  }

  restore(commit: ObjectId, branch: string, options: OperationOptions = {}): Promise<void> {
    return this.#guarded('restore', (repository) => restoreWorktree(repository, { commit, branch }, options));
  }

  beginMerge(merge: MergeToBegin): Promise<void> {
    return this.#guarded('begin a merge in', (repository) => beginMerge(repository, merge));
  }

  async #guarded<Result>(
    what: string,
    work: (repository: WorktreeRepository) => Promise<Result>,
  ): Promise<Result> {
    const { layout, environment } = this.#repository;
    requireIntact(layout);
    try {
      // an agent may have changed it since the worktree was opened
      const config = await GitConfig.load(layout, environment);
      const refs = new RefStore({ layout, config, environment });
      return await work({ ...this.#repository, config, refs });
    } catch (error) {
      throw fileSystemError(`cannot ${what} ${this.path}`, error);
    }
  }
}

/** Without its pointer, the worktree's files would belong to a repository above. */
function requireIntact({ workTree, gitDirectory }: WorktreeLayout): void {
  if (pointsTo(workTree, gitDirectory) && adminPointsTo(gitDirectory, workTree)) return;
  throw new GitError('GIT_WORKTREE_BROKEN', `${workTree} and ${gitDirectory} do not point to each other`, {
    hint: 'Repair it with `git worktree repair`, or remove the sandbox.',
    data: { path: workTree, gitDirectory },
  });
}
