import type { CommitPreview, RefreshResult, SandboxChanges } from '@cleveragents/sandbox-ports';
import { describeOverlap, type PlanRecord } from '@cleveragents/sandbox-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import { openWorkbench, type Workbench } from '../composition-root.ts';
import { ExitCode } from '../exit-codes.ts';
import { withProgress } from '../progress.ts';
import { renderChangeSet } from '../render/change-set.ts';
import { errorObject, renderError, withCompleteHint } from '../render/errors.ts';
import { renderFiles, renderReasons } from '../render/file-list.ts';
import { renderApplied, warnOfDrift } from '../render/panels.ts';
import { renderPatch } from '../render/patch.ts';
import { renderPlan } from '../render/plans.ts';
import { planCommand, type PlanPlace, renderRescue } from '../render/shell.ts';
import { printable } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';
import { releaseForgotten } from './checkpoint-release.ts';
import type { CommonOptions, Outcome } from './command-action.ts';
import { readPlanChangeSet } from './plan-change-set.ts';
import { canBeRolledBack, choosePlan, hasSandbox, withChosenPlan } from './plan-choice.ts';
import { aboutPlan, PlanFailure } from './plan-failure.ts';
import { runInSandbox } from './run.ts';
import { makeSandbox, runSetup, type SandboxOptions } from './sandbox-options.ts';
import { applySettled } from './settled-apply.ts';

type Id = string | undefined;

export async function createPlan(
  terminal: Terminal,
  id: Id,
  options: CommonOptions & SandboxOptions,
): Promise<Outcome> {
  const bench = await openWorkbench(options);
  const planId = id ?? `plan-${bench.ids.next()}`;
  const plan = await makeSandbox(terminal, bench, planId, options);
  await aboutPlan(planId, () => runSetup(bench, planId, options.setup, options.json));
  return { json: { plan }, text: renderPlan(terminal, plan) };
}

export async function showPlan(terminal: Terminal, id: Id, options: CommonOptions): Promise<Outcome> {
  const bench = await openWorkbench(options);
  const plan = await bench.plans.show(await choosePlan(bench, id));
  const { changes, problem } = await whatChanged(terminal, bench, plan);
  if (problem !== null && !options.json) {
    const place = { planId: plan.planId, project: options.project };
    terminal.error(renderError(terminal, withCompleteHint(problem, place), options.debug));
  }
  const files = changes === null ? '' : `\n${renderFiles(terminal, changes.files)}`;
  const tools = await readPlanChangeSet(bench, plan.planId, changes);
  return {
    json: { plan, changes, tools, problem: problem === null ? null : errorObject(problem) },
    text: `${renderPlan(terminal, plan)}${files}${tools === null ? '' : renderChangeSet(tools)}`,
  };
}

/** A plan can be shown whatever became of its sandbox. */
async function whatChanged(
  terminal: Terminal,
  bench: Workbench,
  { planId, sandbox }: PlanRecord,
): Promise<{ readonly changes: SandboxChanges | null; readonly problem: unknown }> {
  if (!['created', 'active', 'committed'].includes(sandbox.status)) return { changes: null, problem: null };
  try {
    return { changes: await readChanges(terminal, bench, planId), problem: null };
  } catch (problem) {
    if (!hasCode(problem, 'SANDBOX_BROKEN', 'SANDBOX_READ_FAILED', 'SANDBOX_NOT_A_REPOSITORY'))
      throw new PlanFailure(planId, problem);
    return { changes: null, problem };
  }
}

function readChanges(terminal: Terminal, { plans }: Workbench, planId: string): Promise<SandboxChanges> {
  return withProgress(terminal, 'Looking for changes', (callbacks) => plans.changes(planId, callbacks));
}

export async function diffPlan(
  terminal: Terminal,
  id: Id,
  options: CommonOptions & { readonly stat: boolean },
): Promise<Outcome> {
  const bench = await openWorkbench(options);
  const choice = { isMeant: hasSandbox };
  return withChosenPlan(bench, id, (planId) => diffOf(terminal, bench, planId, options), choice);
}

async function diffOf(
  terminal: Terminal,
  bench: Workbench,
  planId: string,
  { stat, json }: CommonOptions & { readonly stat: boolean },
): Promise<Outcome> {
  if (stat || json) {
    const changes = await readChanges(terminal, bench, planId);
    const omitted = renderReasons('Cannot be committed:', changes.omittedFiles);
    return { json: { planId, changes }, text: `${renderFiles(terminal, changes.files)}${omitted}` };
  }
  const patch = await withProgress(terminal, 'Comparing', (callbacks) =>
    bench.plans.patch(planId, callbacks),
  );
  return { json: {}, text: renderPatch(terminal, patch) };
}

export async function executeInPlan(
  terminal: Terminal,
  id: string,
  argv: readonly string[],
  options: CommonOptions,
): Promise<Outcome> {
  const bench = await openWorkbench(options);
  return withChosenPlan(bench, id, async (planId) => {
    const command = { planId, argv, place: bench.project.place, outputToError: options.json };
    const { exitCode, signal } = await runInSandbox(bench, command);
    const changes = await readChanges(terminal, bench, planId);
    return {
      json: { planId, commandExitCode: exitCode, signal, changes },
      text: `\n${renderFiles(terminal, changes.files)}`,
      exitCode,
    };
  });
}

export async function refreshPlan(terminal: Terminal, id: Id, options: CommonOptions): Promise<Outcome> {
  const bench = await openWorkbench(options);
  return withChosenPlan(bench, id, async (planId) => {
    const result = await withProgress(terminal, 'Refreshing', (callbacks) =>
      bench.plans.refresh(planId, callbacks),
    );
    const sandboxPath = await bench.plans.sandboxPath(planId);
    const place = { planId, project: options.project };
    return {
      json: { planId, ...result, sandboxPath },
      text: renderRefresh(result, sandboxPath ?? 'the sandbox', place),
    };
  });
}

function renderRefresh(result: RefreshResult, sandboxPath: string, place: PlanPlace): string {
  const conflicts = result.conflicts.map(({ path, kind }) => `  ${printable(path)} (${kind})\n`).join('');
  return {
    'up-to-date': 'The sandbox has everything that its target has.\n',
    merged: `Merged what the project gained into the sandbox (${result.base.slice(0, 10)}).\n`,
    conflicts: `Conflicts to resolve in ${printable(sandboxPath)}:\n${conflicts}Edit these files, then: ${planCommand('apply', place)}\n`,
  }[result.kind];
}

export interface ApplyOptions extends CommonOptions {
  readonly message?: string;
  readonly into?: string;
  readonly dryRun: boolean;
  readonly keepSandbox: boolean;
  readonly allowMassDeletion: boolean;
}

export async function applyPlan(terminal: Terminal, id: Id, options: ApplyOptions): Promise<Outcome> {
  const bench = await openWorkbench(options);
  const apply = options.dryRun ? previewApply : applyChosen;
  return withChosenPlan(bench, id, (planId) => apply(terminal, bench, planId, options));
}

async function previewApply(
  terminal: Terminal,
  { plans }: Workbench,
  planId: string,
  { into, allowMassDeletion }: ApplyOptions,
): Promise<Outcome> {
  const preview = await withProgress(terminal, 'Checking', (callbacks) =>
    plans.previewApply(planId, { targetBranch: into, allowMassDeletion, ...callbacks }),
  );
  return renderPreview(terminal, planId, preview);
}

async function applyChosen(
  terminal: Terminal,
  bench: Workbench,
  planId: string,
  { into, allowMassDeletion, message, keepSandbox }: ApplyOptions,
): Promise<Outcome> {
  const commit = { targetBranch: into, allowMassDeletion, message, keepSandbox };
  const summary = await withProgress(terminal, 'Applying', (callbacks) =>
    applySettled(bench, planId, { ...commit, ...callbacks }),
  );
  await releaseForgotten(terminal, bench);
  warnOfDrift(terminal, summary);
  return { json: { summary }, text: renderApplied(terminal, summary) };
}

/** A dry run that would be refused ends with the refusal's exit code, and changes nothing either way. */
function renderPreview(terminal: Terminal, planId: string, preview: CommitPreview): Outcome {
  const { conflicts, overlaps, files, targetBranch } = preview;
  const refused = conflicts.length + overlaps.length > 0;
  const lines = [
    renderFiles(terminal, files),
    ...conflicts.map(({ path, kind }) => `conflict: ${printable(path)} (${kind})\n`),
    ...overlaps.map((overlap) => `in the way: ${printable(describeOverlap(overlap))}\n`),
    refused
      ? 'An apply would be refused. Nothing was changed.\n'
      : `An apply would go through${targetBranch === null ? '' : `, to ${printable(targetBranch)}`}. Nothing was changed.\n`,
  ];
  return {
    json: { planId, dryRun: true, ...preview },
    text: lines.join(''),
    exitCode: refused ? ExitCode.REFUSED : ExitCode.DONE,
  };
}

export async function rollBackPlan(
  terminal: Terminal,
  id: Id,
  options: CommonOptions & { readonly revert: boolean },
): Promise<Outcome> {
  const bench = await openWorkbench(options);
  const strategy = options.revert ? 'revert' : 'reset';
  const choice = { isMeant: canBeRolledBack, prefersOpen: false };
  return withChosenPlan(bench, id, (planId) => rollBack(terminal, bench, planId, strategy), choice);
}

async function rollBack(
  terminal: Terminal,
  { plans }: Workbench,
  planId: string,
  strategy: 'revert' | 'reset',
): Promise<Outcome> {
  const { status } = await plans.show(planId);
  const result = await withProgress(terminal, 'Rolling back', (callbacks) =>
    plans.rollback(planId, { strategy, ...callbacks }),
  );
  const untouched =
    status === 'applied' ? 'The apply had changed nothing.' : 'The sandbox is back at its base.';
  const where =
    result.targetRef === null ? untouched : `The apply is undone (${result.targetRef.slice(0, 10)}).`;
  const kept =
    result.rescuedTo === null ? '' : ` What was discarded is kept for 30 days: ${result.rescuedTo}`;
  return { json: { planId, ...result }, text: `${where}${kept}\n` };
}

export async function cleanUpPlan(terminal: Terminal, id: Id, options: CommonOptions): Promise<Outcome> {
  const bench = await openWorkbench(options);
  return withChosenPlan(
    bench,
    id,
    async (planId) => {
      const result = await withProgress(terminal, 'Removing the sandbox', (callbacks) =>
        bench.plans.cleanup(planId, callbacks),
      );
      await releaseForgotten(terminal, bench);
      const kept = renderRescue(result.rescuedTo, { planId, project: options.project });
      return { json: { planId, ...result }, text: `Sandbox removed.${kept}\n` };
    },
    { isMeant: hasSandbox },
  );
}
