import {
  type BranchUpdate,
  type BranchUpdateRequest,
  GitError,
  type OperationInProgress,
  type OperationOptions,
  type PathFacts,
} from '@cleveragents/git-ports';
import { BranchMove, type BranchMovePlan } from './branch-move.ts';
import type { BranchSurvey, SurveyWorkTree } from './branch-survey.ts';
import { fileSystemError } from './file-access.ts';
import { GitConfig } from './git-config.ts';
import { holdApplyLock, Holds } from './held-lock.ts';
import { acquireLockFile } from './lock-file.ts';
import { OperationJournal } from './operation-journal.ts';
import { Pace } from './pace.ts';
import { readOperationInProgress } from './preflight.ts';
import type { PreparedRefUpdate } from './ref-store.ts';
import type { RepositoryCore } from './repository.ts';
import { isDirectory, lstatIfThere } from './steady-file.ts';
import { findCheckouts } from './worktree-admin.ts';
import type { WorktreeLayout } from './worktree-scan.ts';

/** See `WorktreeHost.beginBranchUpdate`. */
export async function beginBranchUpdate(
  repository: RepositoryCore,
  request: BranchUpdateRequest,
  survey: SurveyWorkTree,
  options: OperationOptions = {},
): Promise<BranchUpdate> {
  const pace = new Pace('apply', { timeoutMs: repository.timeoutMs, ...options });
  const holds = new Holds();
  try {
    return await prepare({ repository, request, survey, pace, holds });
  } catch (error) {
    await holds.releaseAfterwards();
    throw fileSystemError(`cannot prepare to move ${request.branch}`, error);
  }
}

interface Preparation {
  readonly repository: RepositoryCore;
  readonly request: BranchUpdateRequest;
  readonly survey: SurveyWorkTree;
  readonly pace: Pace;
  readonly holds: Holds;
}

async function prepare(preparation: Preparation): Promise<BranchUpdate> {
  const { repository, request, pace, holds } = preparation;
  holds.add(await holdApplyLock(repository.layout, pace.deadline));
  const layout = await findHolder(repository, request.branch);
  if (layout === null) return new HeldUpdate(preparation, { prepared: await lockRef(preparation) });
  await lockFiles(layout, preparation);
  const prepared = await lockRef(preparation);
  const head = await repository.refs.readHead(layout.gitDirectory);
  if (head.branch !== request.branch) throw switchedAway(layout, request.branch);
  const config = await GitConfig.load(layout, repository.environment);
  const survey = await preparation.survey(layout, request, pace);
  const operationInProgress = await readOperationInProgress(layout.gitDirectory);
  return new HeldUpdate(preparation, {
    prepared,
    workTree: { layout, config, survey, operationInProgress },
  });
}

/** The work tree that has the branch checked out, if its folder is there. */
async function findHolder({ layout, refs }: RepositoryCore, branch: string): Promise<WorktreeLayout | null> {
  const checkouts = await findCheckouts(layout, refs, branch);
  const busy = checkouts.find(({ through }) => through !== 'head');
  if (busy !== undefined)
    throw new GitError('GIT_LOCKED', `${branch} takes part in a ${busy.through} in ${busy.path}`, {
      hint: `Finish or abort the ${busy.through} first.`,
      data: { path: busy.path, owner: null },
    });
  const present = checkouts.filter(({ path }) => {
    const stat = lstatIfThere(path);
    return stat !== null && isDirectory(stat);
  });
  const own = present.find(({ gitDirectory }) => gitDirectory === layout.gitDirectory) ?? present[0];
  if (own === undefined) return null;
  return { workTree: own.path, gitDirectory: own.gitDirectory, commonDirectory: layout.commonDirectory };
}

/** In git's own order: index, HEAD, then the ref. */
async function lockFiles({ gitDirectory }: WorktreeLayout, { pace, holds }: Preparation): Promise<void> {
  for (const file of ['index', 'HEAD']) {
    const lock = await acquireLockFile(`${gitDirectory}/${file}`, {
      timeoutMs: pace.deadline.remainingMs,
      signal: pace.deadline.signal,
    });
    holds.add(() => lock.release());
  }
}

async function lockRef({ repository, request, pace, holds }: Preparation): Promise<PreparedRefUpdate> {
  const prepared = await repository.refs.prepare(
    { name: request.branch, expected: request.from, target: request.to, message: request.message },
    { timeoutMs: pace.deadline.remainingMs, signal: pace.deadline.signal },
  );
  holds.add(() => prepared.abort());
  return prepared;
}

function switchedAway({ workTree }: WorktreeLayout, branch: string): GitError {
  return new GitError('GIT_LOCKED', `${workTree} was switched away from ${branch} at this moment`, {
    hint: 'Try again.',
    data: { path: workTree, owner: null },
  });
}

interface HeldWorkTree {
  readonly layout: WorktreeLayout;
  readonly config: GitConfig;
  readonly survey: BranchSurvey;
  readonly operationInProgress: OperationInProgress | null;
}

class HeldUpdate implements BranchUpdate {
  readonly workTree: string | null;
  readonly operationInProgress: OperationInProgress | null;
  readonly facts: readonly PathFacts[];
  readonly #preparation: Preparation;
  readonly #prepared: PreparedRefUpdate;
  readonly #held: HeldWorkTree | null;
  #isOver = false;

  constructor(preparation: Preparation, found: { prepared: PreparedRefUpdate; workTree?: HeldWorkTree }) {
    this.#preparation = preparation;
    this.#prepared = found.prepared;
    this.#held = found.workTree ?? null;
    this.workTree = this.#held?.layout.workTree ?? null;
    this.operationInProgress = this.#held?.operationInProgress ?? null;
    this.facts = this.#held?.survey.facts ?? [];
  }

  async apply(): Promise<void> {
    this.#end();
    const { request, holds } = this.#preparation;
    try {
      if (this.#held === null) await this.#moveRef();
      else await this.#moveWithFiles(this.#held);
    } catch (error) {
      throw fileSystemError(`cannot move ${request.branch}`, error);
    } finally {
      await holds.releaseAfterwards();
    }
  }

  async abandon(): Promise<void> {
    this.#end();
    await this.#preparation.holds.releaseAll();
  }

  #end(): void {
    if (this.#isOver) throw new Error('this branch update is over');
    this.#isOver = true;
  }

  /** An error that comes once the ref has moved is none of the update's. */
  async #moveRef(): Promise<void> {
    const { repository, request } = this.#preparation;
    try {
      await this.#prepared.commit();
    } catch (error) {
      if ((await repository.refs.read(request.branch)) !== request.to) throw error;
    }
  }

  async #moveWithFiles({ layout, config, survey }: HeldWorkTree): Promise<void> {
    const { repository, request, pace } = this.#preparation;
    requireHarmless(survey.facts);
    const journal = new OperationJournal(repository.layout);
    const { branch, from, to, message } = request;
    const plan: BranchMovePlan = {
      layout,
      branch,
      from,
      to,
      message,
      trustsFileMode: config.boolean('core.filemode', true),
    };
    const entry = await journal.begin('update-branch', plan);
    try {
      const move = new BranchMove(repository, entry);
      await move.run({ survey, prepared: this.#prepared, pace });
    } finally {
      journal.leave(entry);
    }
  }
}

/** What may go is decided above the engine. This is the last line: what no commit holds is never replaced. */
function requireHarmless(facts: readonly PathFacts[]): void {
  const harmful = facts.filter(
    ({ disk, occupants, blockedParent, index, before, after }) =>
      disk === 'other' ||
      disk === 'inaccessible' ||
      occupants.length > 0 ||
      blockedParent !== null ||
      index === 'other' ||
      index === 'unmerged' ||
      (index === 'absent' && before !== null && after !== null),
  );
  if (harmful.length === 0) return;
  const paths = harmful.map(({ path }) => path);
  throw new GitError('GIT_TARGET_CHANGED', `${paths.slice(0, 3).join(', ')} holds work that no commit has`, {
    hint: 'Commit it, stash it or move it away.',
    data: { paths },
  });
}
