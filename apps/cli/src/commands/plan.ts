import type { CommitPreview } from '@cleveragents/sandbox-ports';
import { describeOverlap } from '@cleveragents/sandbox-domain';
import { openWorkbench } from '../composition-root.ts';
import { ExitCode } from '../exit-codes.ts';
import { withProgress } from '../progress.ts';
import { renderFiles, renderReasons } from '../render/file-list.ts';
import { renderApplySummary } from '../render/panels.ts';
import { renderPlan } from '../render/plans.ts';
import { printable } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';
import type { CommonOptions, Outcome } from './command-action.ts';
import { canBeRolledBack, choosePlan, hasSandbox } from './plan-choice.ts';
import { runInSandbox } from './run.ts';
import { createOptions, renderSandboxNotes, runSetup, type SandboxOptions } from './sandbox-options.ts';

type Id = string | undefined;

export async function createPlan(
  terminal: Terminal,
  id: Id,
  options: CommonOptions & SandboxOptions,
): Promise<Outcome> {
  const bench = await openWorkbench(options.project, options.timeout);
  const planId = id ?? `plan-${bench.ids.next()}`;
  const plan = await withProgress(terminal, 'Making the sandbox', (callbacks) =>
    bench.plans.create({ planId, resource: bench.project.resource, ...createOptions(options), ...callbacks }),
  );
  renderSandboxNotes(terminal, plan);
  await runSetup(bench, planId, options.setup, options.json);
  return { json: { plan }, text: renderPlan(terminal, plan) };
}

export async function showPlan(terminal: Terminal, id: Id, options: CommonOptions): Promise<Outcome> {
  const bench = await openWorkbench(options.project, options.timeout);
  const plan = await bench.plans.show(await choosePlan(bench, id));
  const isOpen = plan.sandbox.status === 'created' || plan.sandbox.status === 'active';
  const changes =
    isOpen || plan.sandbox.status === 'committed'
      ? await withProgress(terminal, 'Looking for changes', (callbacks) =>
          bench.plans.changes(plan.planId, callbacks),
        )
      : null;
  const files = changes === null ? '' : `\n${renderFiles(terminal, changes.files)}`;
  return { json: { plan, changes }, text: `${renderPlan(terminal, plan)}${files}` };
}

export async function diffPlan(
  terminal: Terminal,
  id: Id,
  options: CommonOptions & { readonly stat: boolean },
): Promise<Outcome> {
  const bench = await openWorkbench(options.project, options.timeout);
  const planId = await choosePlan(bench, id, hasSandbox);
  if (options.stat || options.json) {
    const changes = await bench.plans.changes(planId);
    const omitted = renderReasons('Cannot be committed:', changes.omittedFiles);
    return { json: { planId, changes }, text: `${renderFiles(terminal, changes.files)}${omitted}` };
  }
  const patch = await bench.plans.patch(planId);
  process.stdout.write(patch); // bytes are bytes: a patch of a file in another encoding is no UTF-8
  return { json: {}, text: '' };
}

export async function executeInPlan(
  terminal: Terminal,
  id: string,
  argv: readonly string[],
  options: CommonOptions,
): Promise<Outcome> {
  const bench = await openWorkbench(options.project, options.timeout);
  const planId = await choosePlan(bench, id);
  const command = { planId, argv, place: bench.project.place, outputToError: options.json };
  const { exitCode, signal } = await runInSandbox(bench, command);
  const changes = await bench.plans.changes(planId);
  return {
    json: { planId, commandExitCode: exitCode, signal, changes },
    text: `\n${renderFiles(terminal, changes.files)}`,
    exitCode,
  };
}

export async function refreshPlan(terminal: Terminal, id: Id, options: CommonOptions): Promise<Outcome> {
  const bench = await openWorkbench(options.project, options.timeout);
  const planId = await choosePlan(bench, id);
  const result = await withProgress(terminal, 'Refreshing', (callbacks) =>
    bench.plans.refresh(planId, callbacks),
  );
  const conflicts = result.conflicts.map(({ path, kind }) => `  ${printable(path)} (${kind})\n`).join('');
  const sandboxPath = await bench.plans.sandboxPath(planId);
  const text = {
    'up-to-date': 'The sandbox has everything that its target has.\n',
    merged: `Merged the target's new commits into the sandbox (${result.base.slice(0, 10)}).\n`,
    conflicts: `Conflicts to resolve in ${sandboxPath ?? 'the sandbox'}:\n${conflicts}Edit these files, then apply.\n`,
  }[result.kind];
  return { json: { planId, ...result, sandboxPath }, text };
}

export interface ApplyOptions extends CommonOptions {
  readonly message?: string;
  readonly into?: string;
  readonly dryRun: boolean;
  readonly keepSandbox: boolean;
  readonly allowMassDeletion: boolean;
}

export async function applyPlan(terminal: Terminal, id: Id, options: ApplyOptions): Promise<Outcome> {
  const bench = await openWorkbench(options.project, options.timeout);
  const planId = await choosePlan(bench, id);
  const commit = { targetBranch: options.into, allowMassDeletion: options.allowMassDeletion };
  if (options.dryRun) {
    const preview = await withProgress(terminal, 'Checking', (callbacks) =>
      bench.plans.previewApply(planId, { ...commit, ...callbacks }),
    );
    return renderPreview(terminal, planId, preview);
  }
  const summary = await withProgress(terminal, 'Applying', (callbacks) =>
    bench.plans.apply(planId, {
      ...commit,
      message: options.message,
      keepSandbox: options.keepSandbox,
      ...callbacks,
    }),
  );
  for (const sentence of summary.drift) terminal.error(`warning: ${printable(sentence)}\n`);
  const omitted = renderReasons('Not in the commit, kept in the sandbox:', summary.omittedFiles);
  return { json: { summary }, text: `${omitted}${renderApplySummary(terminal, summary)}` };
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
  const bench = await openWorkbench(options.project, options.timeout);
  const planId = await choosePlan(bench, id, canBeRolledBack);
  const strategy = options.revert ? 'revert' : 'reset';
  const result = await withProgress(terminal, 'Rolling back', (callbacks) =>
    bench.plans.rollback(planId, { strategy, ...callbacks }),
  );
  const where =
    result.targetRef === null
      ? 'The sandbox is back at its base.'
      : `The apply is undone (${result.targetRef.slice(0, 10)}).`;
  const kept =
    result.rescuedTo === null ? '' : ` What was discarded is kept for 30 days: ${result.rescuedTo}`;
  return { json: { planId, ...result }, text: `${where}${kept}\n` };
}

export async function restorePlan(
  terminal: Terminal,
  id: string,
  options: CommonOptions & { readonly from?: string },
): Promise<Outcome> {
  const bench = await openWorkbench(options.project, options.timeout);
  const plan = await withProgress(terminal, 'Restoring', (callbacks) =>
    bench.plans.restore(id, { ...callbacks, ...(options.from === undefined ? {} : { ref: options.from }) }),
  );
  return { json: { plan }, text: renderPlan(terminal, plan) };
}

export async function cleanUpPlan(terminal: Terminal, id: Id, options: CommonOptions): Promise<Outcome> {
  const bench = await openWorkbench(options.project, options.timeout);
  const planId = await choosePlan(bench, id, hasSandbox);
  const result = await withProgress(terminal, 'Removing the sandbox', (callbacks) =>
    bench.plans.cleanup(planId, callbacks),
  );
  const kept = result.rescuedTo === null ? '' : ` Its work is kept for 30 days: ${result.rescuedTo}`;
  return { json: { planId, ...result }, text: `Sandbox removed.${kept}\n` };
}
