import { lstatSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import { GitError, type NewWorktree, type OperationOptions } from '@cleveragents/git-ports';
import { type JournalEntry, removeTree } from '@cleveragents/shared-adapter-fs';
import {
  adminDirectories,
  endInitialising,
  isMadeBy,
  isOwnWorktreeFolder,
  makeAdminFolder,
  removeAdminFolder,
} from './admin-folder.ts';
import { fileSystemError } from './file-access.ts';
import { removeDeadLock } from './lock-file.ts';
import { OperationJournal } from './operation-journal.ts';
import { Pace } from './pace.ts';
import type { PreparedRefUpdate } from './ref-store.ts';
import type { RepositoryCore } from './repository.ts';
import { listWorktrees } from './worktree-admin.ts';
import type { WorktreeLayout } from './worktree-scan.ts';

/** What the journal keeps of the making of a worktree. */
interface AddPayload {
  readonly path: string;
  readonly branch: string;
  readonly commit: ObjectId;
}

type AddStep =
  | { readonly step: 'admin'; readonly directory: string }
  | { readonly step: 'folder' }
  /** From here on the branch may have been made. */
  | { readonly step: 'branch'; readonly lockPath: string };

/** Puts the commit's files into the worktree's folder, which is empty but for `.git`, and writes its index. */
export type FillWorktree = (layout: WorktreeLayout, pace: Pace) => Promise<void>;

/**
 * See `WorktreeHost.addWorktree`. The branch comes last: whoever sees it sees a worktree that is whole. Until then its
 * lock keeps the name.
 */
export async function addWorktree(
  repository: RepositoryCore,
  worktree: NewWorktree,
  fill: FillWorktree,
  options: OperationOptions = {},
): Promise<WorktreeLayout> {
  const path = await requireFree(repository, worktree.path);
  const { branch, commit } = worktree;
  const payload: AddPayload = { path, branch, commit };
  const pace = new Pace('clone', { timeoutMs: repository.timeoutMs, ...options });
  const journal = new OperationJournal(repository.layout);
  return await journal.run('add-worktree', payload, {
    work: (entry) => new Addition(repository, { entry, worktree: { ...worktree, path }, fill, pace }).run(),
    undo: (entry) => undoAddWorktree(repository, entry),
  });
}

class Addition {
  readonly #repository: RepositoryCore;
  readonly #entry: JournalEntry;
  readonly #worktree: NewWorktree;
  readonly #fill: FillWorktree;
  readonly #pace: Pace;

  constructor(
    repository: RepositoryCore,
    plan: { entry: JournalEntry; worktree: NewWorktree; fill: FillWorktree; pace: Pace },
  ) {
    this.#repository = repository;
    this.#entry = plan.entry;
    this.#worktree = plan.worktree;
    this.#fill = plan.fill;
    this.#pace = plan.pace;
  }

  async run(): Promise<WorktreeLayout> {
    const { refs } = this.#repository;
    const { branch, commit, path } = this.#worktree;
    const { deadline } = this.#pace;
    const update = {
      name: branch,
      expected: null,
      target: commit,
      message: `branch: Created from ${commit}`,
    };
    const prepared = await refs.prepare(update, { timeoutMs: deadline.remainingMs, signal: deadline.signal });
    try {
      const gitDirectory = await this.#makeFolders();
      const { commonDirectory } = this.#repository.layout;
      const layout = { workTree: path, gitDirectory, commonDirectory };
      await this.#fill(layout, this.#pace);
      await this.#makeBranch(prepared);
      endInitialising(gitDirectory);
      return layout;
    } catch (error) {
      await prepared.abort();
      throw fileSystemError(`cannot make a worktree at ${path}`, error);
    }
  }

  async #makeFolders(): Promise<string> {
    const { path, owner, branch } = this.#worktree;
    await this.#record({ step: 'folder' });
    mkdirSync(path, { mode: 0o700 });
    const { ino, birthtimeMs } = lstatSync(path);
    const made = {
      path,
      owner: { ...owner, branch },
      operation: this.#entry.id,
      folder: { ino, birthtimeMs },
    };
    for (const directory of adminDirectories(this.#repository.layout.commonDirectory, path)) {
      if (lstatSync(directory, { throwIfNoEntry: false }) !== undefined) continue;
      await this.#record({ step: 'admin', directory });
      if (!makeAdminFolder({ ...made, directory })) continue;
      writeFileSync(join(path, '.git'), `gitdir: ${directory}\n`);
      return directory;
    }
    throw new Error('names do not end');
  }

  async #makeBranch(prepared: PreparedRefUpdate): Promise<void> {
    this.#pace.deadline.check();
    await this.#record({ step: 'branch', lockPath: prepared.lockPath });
    await prepared.commit();
  }

  async #record(step: AddStep): Promise<void> {
    await this.#entry.record(step);
  }
}

/** Takes back what the operation made, as far as it came, and nothing else. Fine when half of it is gone already. */
export async function undoAddWorktree(repository: RepositoryCore, entry: JournalEntry): Promise<void> {
  const { path, branch, commit } = entry.payload as AddPayload;
  const steps = entry.steps as readonly AddStep[];
  const made = steps.findLast((step) => step.step === 'branch');
  if (made !== undefined) {
    // from this step on the lock was held: a branch of that name at that commit is ours
    await removeDeadLock(made.lockPath);
    await repository.refs.delete(branch, commit);
  }
  const directories = steps.flatMap((step) => (step.step === 'admin' ? [step.directory] : []));
  const isFolderMade = steps.some((step) => step.step === 'folder');
  if (isFolderMade && isOwnWorktreeFolder(path, directories))
    await removeTree(path, { within: dirname(path) });
  for (const directory of directories) if (isMadeBy(directory, entry.id)) await removeAdminFolder(directory);
}

/** @throws GitError `GIT_WORKTREE_IN_USE`, `GIT_FILE_SYSTEM`. */
async function requireFree({ layout, refs }: RepositoryCore, path: string): Promise<string> {
  if (!isAbsolute(path)) throw new Error(`not an absolute path: ${path}`);
  const real = join(realParent(path), basename(path));
  const entries = await listWorktrees(layout, refs);
  const isRegistered = entries.some((entry) => entry.path === real);
  if (!isRegistered && lstatSync(real, { throwIfNoEntry: false }) === undefined) return real;
  throw inUse(real);
}

function realParent(path: string): string {
  try {
    return realpathSync(dirname(path));
  } catch (error) {
    throw fileSystemError(`cannot make a worktree at ${path}`, error);
  }
}

function inUse(path: string): GitError {
  return new GitError('GIT_WORKTREE_IN_USE', `${path} is taken`, {
    hint: 'Choose another path, or see `git worktree list`.',
    data: { path },
  });
}
