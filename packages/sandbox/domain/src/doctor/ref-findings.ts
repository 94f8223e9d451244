import { parsePlanId, planKey } from '@cleveragents/shared-kernel';
import { isExpiredRescue, RESCUE_DAYS, RESCUE_PREFIX } from '../rescue-ref.ts';
import type { BranchTrace, DoctorFacts, RescueTrace } from './facts.ts';
import { byDoctor, byYou, type Finding, type KeptWork } from './finding.ts';
import { hasUseForSandbox, type KnownPlans } from './known-plans.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Branches with the name of a sandbox branch whose sandbox is gone. */
export function findOrphanBranches({ sandboxes }: DoctorFacts, plans: KnownPlans): readonly Finding[] {
  const used = new Set<string | null>([
    ...sandboxes.traces.map(({ state }) => branchOf(state)),
    ...plans.all.filter(hasUseForSandbox).map(({ sandbox }) => branchOf(sandbox)),
  ]);
  return sandboxes.branches
    .filter(({ name, isCheckedOut }) => !used.has(name) && !isCheckedOut)
    .map((branch) => {
      const plan = plans.all.findLast(({ sandbox }) => branchOf(sandbox) === branch.name);
      return orphanBranch(branch, plan?.planId ?? null);
    });
}

function branchOf(state: unknown): string | null {
  const metadata = (state as { context?: { metadata?: { branch?: unknown } } | null } | null)?.context
    ?.metadata;
  return typeof metadata?.branch === 'string' ? metadata.branch : null;
}

function orphanBranch({ name, commit, isHeld }: BranchTrace, planId: string | null): Finding {
  const common = {
    kind: 'orphan-branch',
    subject: name,
    planId,
    severity: 'problem',
    problem: 'This branch has the name of a sandbox branch, and there is no such sandbox.',
  } as const;
  if (planId === null) return { ...common, ...unclaimedBranch(name, isHeld) };
  if (isHeld)
    return {
      ...common,
      meaning: 'Your branch has all its commits. It keeps a plan of that name from being made.',
      repair: byDoctor('Deletes the branch.', { step: 'drop-branch', branch: name, commit, keptFor: null }),
    };
  return {
    ...common,
    meaning: 'It has commits of the plan that no other branch has.',
    repair: byDoctor(`Keeps its commits for ${RESCUE_DAYS} days, then deletes the branch.`, {
      step: 'drop-branch',
      branch: name,
      commit,
      keptFor: planId,
    }),
  };
}

/** Somebody may have made it by hand. */
function unclaimedBranch(name: string, isHeld: boolean): Pick<Finding, 'meaning' | 'repair'> {
  if (isHeld)
    return {
      meaning:
        'Your branch has all its commits, but no plan says whose it is: it is left alone. It keeps a plan of that name from being made.',
      repair: byYou('Delete it if you do not need it, or rename it.', 'git', 'branch', '-d', name),
    };
  return {
    meaning: 'It has commits that your branch has not, and no plan says whose they are: it is left alone.',
    repair: byYou(
      'Merge it, rename it, or delete it with what is on it.',
      'git',
      'log',
      '-p',
      `HEAD..${name}`,
    ),
  };
}

/** Notes of sandboxes that are gone. */
export function findOrphanRefs({ sandboxes }: DoctorFacts, plans: KnownPlans): readonly Finding[] {
  const used = new Set<string>([
    ...plans.all.filter(hasUseForSandbox).map(({ key }) => key),
    ...sandboxes.traces.flatMap(({ planId }) => (planId === null ? [] : [planKey(parsePlanId(planId))])),
  ]);
  return sandboxes.memories
    .filter(({ key }) => !used.has(key) && !plans.isUnreadableKey(key))
    .map(({ ref, target, key }) => ({
      kind: 'orphan-ref',
      subject: ref,
      planId: plans.byKey(key)?.planId ?? null,
      severity: 'problem',
      problem: 'A sandbox that is gone left this ref.',
      meaning:
        'It says where a branch of yours once stood. It holds no work, but keeps old objects from git gc.',
      repair: byDoctor('Deletes the ref.', { step: 'drop-ref', ref, target }),
    }));
}

/** Saved work that was kept for as long as promised, or that nothing tells the age of. */
export function findExpiredRescues({ sandboxes, now }: DoctorFacts, plans: KnownPlans): readonly Finding[] {
  return sandboxes.rescues.flatMap((rescue): readonly Finding[] => {
    const { ref, key, at } = rescue;
    const planId = plans.byKey(key)?.planId ?? null;
    const common = { subject: ref, planId, severity: 'note' } as const;
    const look = sandboxes.strategy === 'file_copy' ? ['ls', '-R'] : ['git', 'log', '-1', '-p'];
    if (at === null)
      return [
        {
          ...common,
          kind: 'unknown-rescue',
          problem: 'This lies among saved work, and its name does not say since when.',
          meaning: 'It is kept until somebody removes it.',
          repair: byYou('Look at it, and delete it if nobody needs it.', ...look, ref),
        },
      ];
    if (!isExpired(rescue, now)) return [];
    return [
      {
        ...common,
        kind: 'expired-rescue',
        problem: `Work that was saved on ${at.slice(0, 10)} was kept for ${RESCUE_DAYS} days.`,
        meaning: 'Nobody asked for it. The next clean-up of any plan lets go of it anyway.',
        repair: byDoctor('Lets go of it.', { step: 'recover' }),
      },
    ];
  });
}

/** Saved work that `plan restore` can bring back. */
export function keptWork({ sandboxes, now }: DoctorFacts, plans: KnownPlans): readonly KeptWork[] {
  return sandboxes.rescues.flatMap((rescue) => {
    const { ref, key, at } = rescue;
    if (at === null || isExpired(rescue, now)) return [];
    const until = new Date(Date.parse(at) + RESCUE_DAYS * DAY_MS).toISOString();
    return [{ ref, planId: plans.byKey(key)?.planId ?? null, at, until }];
  });
}

/** Folders of copies are named like refs, and kept for as long. */
function isExpired({ ref, key }: RescueTrace, now: Date): boolean {
  return isExpiredRescue(`${RESCUE_PREFIX}/${key}/${ref.slice(ref.lastIndexOf('/') + 1)}`, now);
}
