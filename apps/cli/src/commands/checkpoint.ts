import type { Checkpoint } from '@cleveragents/checkpoint-domain';
import { retentionPolicy } from '@cleveragents/checkpoint-domain';
import { CliError } from '../cli.errors.ts';
import { openWorkbench, type Workbench } from '../composition-root.ts';
import { withProgress } from '../progress.ts';
import {
  renderCheckpoint,
  renderCheckpoints,
  renderDifferences,
  renderRollback,
} from '../render/checkpoints.ts';
import { bytes, plural } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';
import { releaseForgotten, releaseOverPlans } from './checkpoint-release.ts';
import type { CommonOptions, Outcome } from './command-action.ts';
import { warnIfOlderThanRefresh } from './older-than-refresh.ts';
import { choosePlan } from './plan-choice.ts';

/** The commands of `cleveragents checkpoint`. Checkpoints are named by their id, or by any beginning that only one has. */

export interface CreateCheckpointOptions extends CommonOptions {
  readonly reason?: string;
  readonly decision?: string;
  readonly includeIgnored: readonly string[];
}

export async function createCheckpoint(
  terminal: Terminal,
  plan: string | undefined,
  { reason, decision, includeIgnored, ...options }: CreateCheckpointOptions,
): Promise<Outcome> {
  const bench = await openWorkbench(options);
  const planId = await choosePlan(bench, plan);
  const { checkpoint, pruned, snapshot } = await withProgress(terminal, 'Taking a checkpoint', ({ signal }) =>
    bench.checkpoints.captureCheckpoint({
      planId,
      reason,
      includeIgnored,
      signal,
      ...(decision === undefined ? {} : { decisionId: decision, checkpointType: 'decision' }),
    }),
  );
  return { json: { checkpoint, snapshot, pruned }, text: renderCheckpoint(terminal, checkpoint) };
}

export async function listCheckpoints(
  terminal: Terminal,
  plan: string | undefined,
  options: CommonOptions,
): Promise<Outcome> {
  const bench = await openWorkbench(options);
  const planId = await choosePlan(bench, plan);
  const checkpoints = await bench.checkpoints.listCheckpoints(planId);
  return { json: { planId, checkpoints }, text: renderCheckpoints(terminal, checkpoints) };
}

export async function showCheckpoint(
  terminal: Terminal,
  id: string,
  options: CommonOptions,
): Promise<Outcome> {
  const bench = await openWorkbench(options);
  const checkpoint = await findCheckpoint(bench, id);
  return { json: { checkpoint }, text: renderCheckpoint(terminal, checkpoint) };
}

export async function diffCheckpoints(
  terminal: Terminal,
  from: string,
  to: string | undefined,
  options: CommonOptions,
): Promise<Outcome> {
  const bench = await openWorkbench(options);
  const first = await findCheckpoint(bench, from);
  const second = to === undefined ? undefined : await findCheckpoint(bench, to);
  const differences = await withProgress(terminal, 'Comparing', ({ signal }) =>
    bench.checkpoints.diffCheckpoints(first.checkpointId, second?.checkpointId, { signal }),
  );
  const json = { from: first.checkpointId, to: second?.checkpointId ?? null, differences };
  return { json, text: renderDifferences(terminal, differences) };
}

export interface RollBackOptions extends CommonOptions {
  readonly dryRun: boolean;
  readonly path: readonly string[];
}

export async function rollBackToCheckpoint(
  terminal: Terminal,
  id: string,
  options: RollBackOptions,
): Promise<Outcome> {
  const bench = await openWorkbench(options);
  const checkpoint = await findCheckpoint(bench, id);
  const { planId, checkpointId } = checkpoint;
  const { dryRun } = options;
  const paths = options.path.length === 0 ? undefined : options.path;
  const result = await withProgress(terminal, 'Rolling back', ({ signal }) =>
    bench.checkpoints.rollbackToCheckpoint(planId, checkpointId, { dryRun, paths, signal }),
  );
  const isOlderThanRefresh = await warnIfOlderThanRefresh(terminal, bench, checkpoint);
  return {
    json: { planId, dryRun, ...result, isOlderThanRefresh },
    text: renderRollback(terminal, result, dryRun),
  };
}

export async function deleteCheckpoint(id: string, options: CommonOptions): Promise<Outcome> {
  const bench = await openWorkbench(options);
  const { checkpointId } = await findCheckpoint(bench, id);
  const { deleted, freedBytes } = await bench.checkpoints.deleteCheckpoint(checkpointId);
  return { json: { deleted, freedBytes }, text: `Deleted ${checkpointId}, freed ${bytes(freedBytes)}.\n` };
}

export interface PruneOptions extends CommonOptions {
  readonly keep: number;
  readonly over: boolean;
}

export async function pruneCheckpoints(
  terminal: Terminal,
  plan: string | undefined,
  { keep, over, ...options }: PruneOptions,
): Promise<Outcome> {
  const bench = await openWorkbench(options);
  if (over) return pruneOverPlans(terminal, bench, plan);
  const planId = await choosePlan(bench, plan);
  const policy = retentionPolicy({ maxCheckpoints: keep });
  const { pruned, freedBytes } = await withProgress(terminal, 'Pruning', () =>
    bench.checkpoints.pruneCheckpoints(planId, policy),
  );
  await releaseForgotten(terminal, bench);
  const text = `Pruned ${plural(pruned.length, 'checkpoint')}, freed ${bytes(freedBytes)}.\n`;
  return { json: { planId, pruned, freedBytes }, text };
}

async function pruneOverPlans(
  terminal: Terminal,
  bench: Workbench,
  plan: string | undefined,
): Promise<Outcome> {
  if (plan !== undefined)
    throw new CliError('CLI_USAGE', '--over is about all plans that are over, not about one', {
      hint: 'Leave the plan id or --over out.',
    });
  const released = await withProgress(terminal, 'Pruning', () => releaseOverPlans(bench, { atOnce: true }));
  const { planIds, checkpointCount, freedBytes } = released;
  const text = `Pruned ${plural(checkpointCount, 'checkpoint')} of ${plural(planIds.length, 'plan')}, freed ${bytes(freedBytes)}.\n`;
  return { json: { ...released }, text };
}

export async function pinCheckpoint(
  terminal: Terminal,
  id: string,
  { remove, ...options }: CommonOptions & { readonly remove: boolean },
): Promise<Outcome> {
  const bench = await openWorkbench(options);
  const { checkpointId } = await findCheckpoint(bench, id);
  const checkpoint = await bench.checkpoints.pinCheckpoint(checkpointId, !remove);
  return { json: { checkpoint }, text: renderCheckpoint(terminal, checkpoint) };
}

export interface CorrectOptions extends CommonOptions {
  readonly decision: string;
  readonly mode: 'revert' | 'append';
  readonly guidance: string;
}

/** `plan correct`: undo back to the checkpoint that is aligned with a decision, or go on with better guidance. */
export async function correctPlan(
  terminal: Terminal,
  plan: string | undefined,
  { decision, mode, guidance, ...options }: CorrectOptions,
): Promise<Outcome> {
  const bench = await openWorkbench(options);
  const planId = await choosePlan(bench, plan);
  const { correction, rollback } = await withProgress(terminal, 'Correcting', ({ signal }) =>
    bench.corrections.correct({ planId, decisionId: decision, mode, guidance, signal }),
  );
  const recorded = `Recorded as ${correction.correctionId}.\n`;
  const isOlderThanRefresh =
    rollback !== null &&
    (await warnIfOlderThanRefresh(
      terminal,
      bench,
      await bench.checkpoints.getCheckpoint(correction.checkpointId),
    ));
  return {
    json: { correction, rollback, isOlderThanRefresh },
    text: rollback === null ? recorded : `${renderRollback(terminal, rollback, false)}${recorded}`,
  };
}

/** By its whole id, or by a beginning that exactly one checkpoint of the project's plans has. */
export async function findCheckpoint({ checkpoints, plans }: Workbench, id: string): Promise<Checkpoint> {
  // Every id begins with nothing: a variable that is not set must not name the only checkpoint.
  if (id.trim() === '')
    throw new CliError('CLI_USAGE', 'The id of a checkpoint cannot be empty', {
      hint: 'List the checkpoints of the plan to see which ids there are.',
    });
  const listing = await plans.list();
  const all = await Promise.all(listing.plans.map(({ planId }) => checkpoints.listCheckpoints(planId)));
  const matches = all.flat().filter(({ checkpointId }) => checkpointId.startsWith(id.toUpperCase()));
  const [only] = matches;
  return only !== undefined && matches.length === 1 ? only : checkpoints.getCheckpoint(id);
}
