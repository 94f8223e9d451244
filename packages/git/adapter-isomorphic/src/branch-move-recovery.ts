import { join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import type { RecoveryReport } from '@cleveragents/git-ports';
import type { JournalEntry } from '@cleveragents/shared-adapter-fs';
import { BranchMove, type BranchMovePlan, type BranchMoveStep } from './branch-move.ts';
import type { EngineRecovery } from './branch-survey.ts';
import { removeDeadLocks } from './dead-locks.ts';
import { Holds } from './held-lock.ts';
import { acquireLockFile, type LockFile } from './lock-file.ts';
import type { RepositoryCore } from './repository.ts';
import { removeStagingFolder, stagingFolderFor } from './staging-folder.ts';

type Outcome = Omit<RecoveryReport['actions'][number], 'operation'>;
type FilesStep = Extract<BranchMoveStep, { step: 'files' }>;

/**
 * Ends what a dead process began. Its locks still lie there and keep git away; they are taken over. A move whose index may
 * be in place is finished, an earlier one is undone. When the branch stands elsewhere, nothing is touched.
 */
export async function recoverBranchMove(
  repository: RepositoryCore,
  entry: JournalEntry,
  engine: EngineRecovery,
): Promise<Outcome> {
  const plan = entry.payload as BranchMovePlan;
  const steps = entry.steps as readonly BranchMoveStep[];
  const files = steps.find((step) => step.step === 'files');
  if (files === undefined) return await forget(entry, plan);
  const move = new BranchMove(repository, entry);
  const actual = await repository.refs.read(plan.branch);
  if (actual === plan.to) {
    await move.finish(move.exchangeRun(files.exchange));
    return { outcome: 'finished', detail: `${plan.branch} had moved to ${plan.to}; the rest is tidied up.` };
  }
  const head = await repository.refs.readHead(plan.layout.gitDirectory);
  if (actual !== plan.from || head.branch !== plan.branch) return blocked(plan, actual);
  const holds = new Holds();
  try {
    await removeDeadLocks(repository.layout);
    const locks = await takeLocks(repository, plan, holds);
    const isForward = steps.some((step) => step.step === 'index');
    return isForward
      ? await rollForward(repository, { move, plan, files, locks, holds, engine })
      : await rollBack(entry, { move, plan, files });
  } finally {
    await holds.releaseAfterwards();
  }
}

async function forget(entry: JournalEntry, plan: BranchMovePlan): Promise<Outcome> {
  await removeStagingFolder(stagingFolderFor(plan.layout, entry.id));
  await entry.complete();
  return { outcome: 'undone', detail: `An update of ${plan.branch} ended before it changed anything.` };
}

function blocked({ branch, from, to, layout }: BranchMovePlan, actual: ObjectId | null): Outcome {
  const detail =
    `An update of ${branch} from ${from} to ${to} was cut short, and ${branch} is at ${actual ?? 'no commit'} ` +
    `or no longer checked out at ${layout.workTree}: nothing was changed. Compare the files there with the branch.`;
  return { outcome: 'blocked', detail };
}

async function takeLocks(
  { timeoutMs }: RepositoryCore,
  { layout }: BranchMovePlan,
  holds: Holds,
): Promise<{ readonly index: LockFile }> {
  const index = await acquireLockFile(join(layout.gitDirectory, 'index'), { timeoutMs });
  holds.add(() => index.release());
  const head = await acquireLockFile(join(layout.gitDirectory, 'HEAD'), { timeoutMs });
  holds.add(() => head.release());
  return { index };
}

interface Recovery {
  readonly move: BranchMove;
  readonly plan: BranchMovePlan;
  readonly files: FilesStep;
}

async function rollForward(
  { refs, timeoutMs }: RepositoryCore,
  {
    move,
    plan,
    files,
    locks,
    holds,
    engine,
  }: Recovery & {
    readonly locks: { readonly index: LockFile };
    readonly holds: Holds;
    readonly engine: EngineRecovery;
  },
): Promise<Outcome> {
  const { branch, from, to, message, layout } = plan;
  const prepared = await refs.prepare({ name: branch, expected: from, target: to, message }, { timeoutMs });
  holds.add(() => prepared.abort());
  const index = await engine.advanceIndex(layout, files.entries);
  if (index !== null) {
    await locks.index.write(index);
    await locks.index.commit();
  }
  await prepared.commit();
  await move.finish(move.exchangeRun(files.exchange));
  return { outcome: 'finished', detail: `${branch} is moved to ${to}.` };
}

async function rollBack(entry: JournalEntry, { move, plan, files }: Recovery): Promise<Outcome> {
  const kept = move.exchangeRun(files.exchange).revert();
  await removeStagingFolder(stagingFolderFor(plan.layout, entry.id));
  await entry.complete();
  const rest = kept.length === 0 ? '' : ` Changed since, and left as they are: ${kept.join(', ')}.`;
  return { outcome: 'undone', detail: `An update of ${plan.branch} is taken back.${rest}` };
}
