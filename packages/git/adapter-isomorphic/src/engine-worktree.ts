import type { ObjectId } from '@cleveragents/git-domain';
import {
  type CapturedTree,
  type CaptureOptions,
  GitError,
  type Head,
  type LinkedWorktree,
  type OperationOptions,
} from '@cleveragents/git-ports';
import { adminPointsTo, pointsTo } from './admin-folder.ts';
import { beginMerge, type MergeToBegin } from './begin-merge.ts';
import { fileSystemError } from './file-access.ts';
import { GitConfig } from './git-config.ts';
import { RefStore } from './ref-store.ts';
import { restoreWorktree } from './restore.ts';
import type { EngineRepository, InWorktree, WorktreeContent } from './worktree-content.ts';
import type { WorktreeLayout } from './worktree-scan.ts';

/** See `LinkedWorktree`. Looks before each operation whether the folder is still that worktree. */
export class EngineWorktree<Own extends EngineRepository> implements LinkedWorktree {
  readonly path: string;
  readonly gitDirectory: string;
  readonly #repository: InWorktree<Own>;
  readonly #content: WorktreeContent<Own>;

  private constructor(repository: InWorktree<Own>, content: WorktreeContent<Own>) {
    this.#repository = repository;
    this.#content = content;
    this.path = repository.layout.workTree;
    this.gitDirectory = repository.layout.gitDirectory;
  }

  /** @throws GitError `GIT_WORKTREE_BROKEN`. */
  static async open<Own extends EngineRepository>(
    repository: Own,
    layout: WorktreeLayout,
    content: WorktreeContent<Own>,
  ): Promise<EngineWorktree<Own>> {
    requireIntact(layout);
    return new EngineWorktree({ ...repository, layout }, content);
  }

  readHead(): Promise<Head> {
    return this.#guarded('read HEAD', ({ refs }) => refs.readHead(this.gitDirectory));
  }

  capture(options: CaptureOptions = {}): Promise<CapturedTree> {
    return this.#guarded('capture', (repository) => this.#content.capture(repository, options));
  }

  record(
    commit: ObjectId,
    branch: { readonly name: string; readonly expected: ObjectId },
    message: string,
  ): Promise<void> {
    return this.#guarded('record', (repository) =>
      this.#content.record(repository, { commit, branch, message }),
    );
  }

  restore(commit: ObjectId, branch: string, options: OperationOptions = {}): Promise<void> {
    return this.#guarded('restore', (repository) =>
      restoreWorktree(repository, { commit, branch }, this.#content, options),
    );
  }

  beginMerge(merge: MergeToBegin): Promise<void> {
    return this.#guarded('begin a merge in', (repository) => beginMerge(repository, merge, this.#content));
  }

  async #guarded<Result>(
    what: string,
    work: (repository: InWorktree<Own>) => Promise<Result>,
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

/** Without its pointer, git would climb to a repository above the worktree, and work there. */
function requireIntact({ workTree, gitDirectory }: WorktreeLayout): void {
  if (pointsTo(workTree, gitDirectory) && adminPointsTo(gitDirectory, workTree)) return;
  throw new GitError('GIT_WORKTREE_BROKEN', `${workTree} and ${gitDirectory} do not point to each other`, {
    hint: 'Repair it with `git worktree repair`, or remove the sandbox.',
    data: { path: workTree, gitDirectory },
  });
}
