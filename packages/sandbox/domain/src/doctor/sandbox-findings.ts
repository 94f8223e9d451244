import { applyToFinish } from '../plan.ts';
import type { PlanRecord } from '../plan-record.schema.ts';
import type { DoctorFacts, SandboxTrace } from './facts.ts';
import { byDoctor, byYou, type Finding, type Repair, type RepairStep } from './finding.ts';
import { contextOf, hasUseForSandbox, type KnownPlans } from './known-plans.ts';

const KEPT = 'what no branch has is kept for 30 days first';

/** Sandboxes that a plan counts on and cannot work with. */
export function findBrokenSandboxes(facts: DoctorFacts, plans: KnownPlans): readonly Finding[] {
  return plans.all.filter(hasUseForSandbox).flatMap((plan) => {
    if (isAtWork(facts, plan)) return [];
    const trace = facts.sandboxes.traces.find(({ sandboxId }) => sandboxId === plan.sandbox.sandboxId);
    if (plan.sandbox.status === 'pending') return [unfinished(plan)];
    if (applyToFinish(plan) !== null) return [halfCleaned(plan)];
    if (trace !== undefined && trace.condition !== 'missing') return conditionOf(plan, trace);
    return plan.sandbox.status === 'committed' || wasRemoved(plan) ? [] : [missing(plan)];
  });
}

/** An apply cleans up after itself, and undoing it makes no sandbox anew. */
function wasRemoved({ history }: PlanRecord): boolean {
  const last = history.findLast(({ kind }) => ['created', 'restored', 'cleaned_up'].includes(kind));
  return last?.kind === 'cleaned_up';
}

/** Sandboxes that no plan counts on. */
export function findOrphans(facts: DoctorFacts, plans: KnownPlans): readonly Finding[] {
  return facts.sandboxes.traces
    .filter(
      ({ sandboxId, planId, path }) =>
        plans.ownerOf(sandboxId) === null && !plans.isUnreadable(planId) && !isBeingMade(facts, path),
    )
    .map((trace) => {
      const plan = trace.planId === null ? null : plans.byId(trace.planId);
      return plan === null ? ofUnknownPlan(trace) : leftOver(trace, plan);
    });
}

/** Its lock is held, or an operation on its sandbox goes on: what looks broken is being made or removed. */
function isAtWork({ planLocks, sandboxes }: DoctorFacts, plan: PlanRecord): boolean {
  const isLocked = planLocks.some(
    ({ path, holder }) => path.endsWith(`/${plan.key}.lock`) && (holder === 'alive' || holder === 'unknown'),
  );
  const path = contextOf(plan)?.sandboxPath;
  return isLocked || (path !== undefined && isBeingMade({ sandboxes }, path));
}

function isBeingMade({ sandboxes }: Pick<DoctorFacts, 'sandboxes'>, path: string): boolean {
  return sandboxes.operations.some(({ subject, process }) => subject === path && process !== 'dead');
}

function cleanUp({ planId, updatedAt }: PlanRecord): RepairStep {
  return { step: 'clean-up', planId, updatedAt };
}

function unfinished(plan: PlanRecord): Finding {
  return {
    kind: 'sandbox-unfinished',
    subject: plan.planId,
    planId: plan.planId,
    severity: 'problem',
    problem: 'The making of its sandbox was cut short.',
    meaning: 'Nobody ever worked in it. The plan is open, and cannot be used until it is created again.',
    repair: byDoctor('Removes what was made of it and closes the plan.', cleanUp(plan)),
  };
}

function halfCleaned(plan: PlanRecord): Finding {
  return {
    kind: 'sandbox-half-removed',
    subject: contextOf(plan)?.sandboxPath ?? plan.planId,
    planId: plan.planId,
    severity: 'problem',
    problem: 'The plan is applied, and the removal of its sandbox was cut short.',
    meaning: 'The project has the work. The sandbox takes up space and a branch.',
    repair: byDoctor(`Finishes the removal; ${KEPT}.`, cleanUp(plan)),
  };
}

function missing(plan: PlanRecord): Finding {
  return {
    kind: 'sandbox-missing',
    subject: contextOf(plan)?.sandboxPath ?? plan.planId,
    planId: plan.planId,
    severity: 'problem',
    problem: 'The folder of its sandbox is gone: a cleaner, or somebody, removed it.',
    meaning: `What was only in its files is lost, but for checkpoints${wayBack(plan)}`,
    repair: byDoctor(`Lets go of the rest of the sandbox and closes the plan; ${KEPT}.`, cleanUp(plan)),
  };
}

/** A copy has no commit to begin from: it is made anew, and taken to a checkpoint. */
function wayBack(plan: PlanRecord): string {
  return contextOf(plan)?.metadata.strategy === 'file_copy'
    ? '. After the repair, `cleveragents plan create` and `cleveragents checkpoint rollback` bring those back.'
    : '; what the agent committed is in the repository still. `cleveragents plan restore` brings back what is kept, also after the repair.';
}

function conditionOf(plan: PlanRecord, trace: SandboxTrace): readonly Finding[] {
  const about = { subject: trace.path, planId: plan.planId };
  if (trace.condition === 'detached') return [detached(trace, plan)];
  if (trace.condition === 'unproven') return [unproven(trace, plan.planId)];
  if (trace.locked === null) return [];
  const why = trace.locked === '' ? '' : ` (${trace.locked})`;
  return [
    {
      ...about,
      kind: 'sandbox-locked',
      severity: 'note',
      problem: `Its worktree is locked${why}.`,
      meaning: 'git does not remove or prune it. Plans work in it, and clean it up, all the same.',
      repair: byYou('Unlock it if nobody needs the lock.', 'git', 'worktree', 'unlock', trace.path),
    },
  ];
}

function detached({ path, state: pieced }: SandboxTrace, plan: PlanRecord | null): Finding {
  const known = plan !== null && contextOf(plan) !== null ? plan.sandbox : null;
  const state = known ?? pieced;
  return {
    kind: 'sandbox-detached',
    subject: path,
    planId: plan?.planId ?? state?.sandboxId ?? null,
    severity: 'problem',
    problem: 'Its folder and what git keeps of it have lost each other.',
    meaning: 'The files are there, but no command can show, apply or clean them up.',
    repair:
      state === null
        ? byYou('Copy what you need out of the folder, then remove it.')
        : byDoctor('Joins the two again; no file is changed.', { step: 'reattach', state }),
  };
}

function unproven({ path }: SandboxTrace, planId: string | null): Finding {
  return {
    kind: 'sandbox-unproven',
    subject: path,
    planId,
    severity: 'problem',
    problem: 'Something lies where its sandbox should be, and nothing proves that it is that.',
    meaning:
      'It was moved or replaced, or what is known of it was removed. It may be somebody else’s: it is left alone.',
    repair: byYou(
      'Look into the folder and save what you need; then remove what is known of the sandbox.',
      ...(planId === null ? [] : ['cleveragents', 'plan', 'cleanup', planId]),
    ),
  };
}

function ofUnknownPlan(trace: SandboxTrace): Finding {
  const { path, planId, state, condition } = trace;
  if (condition === 'unproven') return unproven(trace, planId);
  if (condition === 'detached' && state !== null) return { ...detached(trace, null), planId };
  return {
    kind: 'orphan-sandbox',
    subject: path,
    planId,
    severity: 'problem',
    problem: 'There is a sandbox here that no plan record knows.',
    meaning: 'The record was removed, or another program made the sandbox. Work in it may be nowhere else.',
    repair: repairOfUnknown(trace),
  };
}

function repairOfUnknown({ path, planId, state, condition }: SandboxTrace): Repair {
  if (condition === 'unfinished')
    return byDoctor('Removes it: nobody was ever given it.', { step: 'recover' });
  if (state === null || planId === null)
    return byYou(`Save what you need from ${path}, then remove the folder.`);
  return condition === 'missing'
    ? byDoctor(`Lets go of what is left of it; ${KEPT}.`, { step: 'remove', state })
    : byDoctor('Writes the record anew, so that the plan can be shown, applied or cleaned up.', {
        step: 'adopt',
        planId,
        state,
      });
}

/** The plan is known and has gone on without it: with another sandbox, or with none. */
function leftOver(trace: SandboxTrace, plan: PlanRecord): Finding {
  const { path, state, condition } = trace;
  if (condition === 'unproven') return unproven(trace, plan.planId);
  if (condition === 'detached' && state !== null)
    return { ...detached({ ...trace, state }, null), planId: plan.planId };
  return {
    kind: 'orphan-sandbox',
    subject: path,
    planId: plan.planId,
    severity: 'problem',
    problem: `There is a sandbox here that its plan has no use for: the plan is ${plan.status.replace('_', ' ')}.`,
    meaning: 'Its removal was cut short, or an old record was put back. Nothing will come of it by itself.',
    repair:
      condition === 'unfinished'
        ? byDoctor('Removes it: nobody was ever given it.', { step: 'recover' })
        : state === null
          ? byYou(`Save what you need from ${path}, then remove the folder.`)
          : byDoctor(`Removes it; ${KEPT}.`, { step: 'remove', state }),
  };
}
