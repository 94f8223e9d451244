import { RESCUE_DAYS } from '../rescue-ref.ts';
import type { DoctorFacts, UnreadableRecord } from './facts.ts';
import { byDoctor, byYou, type Diagnosis, type Finding } from './finding.ts';
import { KnownPlans } from './known-plans.ts';
import { findStaleLocks, findUnfinishedOperations } from './lock-findings.ts';
import { findExpiredRescues, findOrphanBranches, findOrphanRefs, keptWork } from './ref-findings.ts';
import { findBrokenSandboxes, findOrphans } from './sandbox-findings.ts';
import { findDrift } from './setting-findings.ts';

/** Everything that is not as it should be, with its repair. */
export function diagnose(facts: DoctorFacts): Diagnosis {
  const plans = new KnownPlans(facts);
  const findings = [
    ...facts.unreadable.map(unreadable),
    ...findUnfinishedOperations(facts),
    ...findStaleLocks(facts),
    ...findBrokenSandboxes(facts, plans),
    ...findOrphans(facts, plans),
    ...findOrphanBranches(facts, plans),
    ...findOrphanRefs(facts, plans),
    ...findDrift(facts, plans),
    ...findExpiredRescues(facts, plans),
  ];
  return { findings: inOrder(findings), kept: keptWork(facts, plans) };
}

/** Problems first; then by kind and subject, so that two runs of the same say the same. */
export function inOrder(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort(
    (a, b) =>
      Number(a.severity === 'note') - Number(b.severity === 'note') ||
      compare(a.kind, b.kind) ||
      compare(a.subject, b.subject),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function unreadable({ name, reason, fault = 'damaged' }: UnreadableRecord): Finding {
  const common = { kind: 'plan-unreadable', subject: name, planId: null, severity: 'problem' } as const;
  switch (fault) {
    case 'newer':
      return {
        ...common,
        problem: `The record of a plan was written by another version: ${reason}`,
        meaning: 'Its sandbox is untouched, but this version can do nothing with the plan.',
        repair: byYou(
          'Use the newest version of cleveragents.',
          'npm',
          'install',
          '--global',
          '@cleveragents/cli@latest',
        ),
      };
    case 'refused':
      return {
        ...common,
        problem: `The record of a plan cannot be read: ${reason}`,
        meaning: 'Its sandbox is untouched, but nothing can be done with the plan.',
        repair: byYou('See to the permissions of the file.'),
      };
    case 'damaged':
      return {
        ...common,
        problem: `The record of a plan is damaged: ${reason}`,
        meaning: `Its sandbox is untouched. History and settings of the plan are lost; work that was saved is kept for ${RESCUE_DAYS} days.`,
        repair: byDoctor(
          'Puts the file aside, and writes the record anew where the sandbox is still there.',
          { step: 'put-aside', name },
        ),
      };
  }
}
