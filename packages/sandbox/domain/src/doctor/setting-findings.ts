import * as z from 'zod';
import type { Fingerprint } from '../drift.ts';
import type { PlanRecord } from '../plan-record.schema.ts';
import type { DoctorFacts } from './facts.ts';
import { byDoctor, byYou, type Finding } from './finding.ts';
import { contextOf, hasUseForSandbox, type KnownPlans } from './known-plans.ts';

const fingerprintSchema = z.looseObject({
  refs: z.record(z.string(), z.string()),
  files: z.record(z.string(), z.string()),
  settings: z.record(z.string(), z.string()),
});

/** With these, git looks for the project's files where they are not: nobody wants that by accident. */
const BREAKING = ['core.bare', 'core.worktree'];
const HOOKS_PATH = 'core.hooksPath';

/** Settings and hooks that are not as they were when a sandbox was made. */
export function findDrift({ sandboxes }: DoctorFacts, plans: KnownPlans): readonly Finding[] {
  const now = sandboxes.fingerprint;
  if (now === null) return [];
  const [newest] = fingerprintsOf(plans.all.toReversed());
  const oldest = fingerprintsOf(plans.all.filter(hasUseForSandbox))[0];
  return [
    ...(newest === undefined ? [] : brokenSettings(newest.fingerprint, now, newest.planId)),
    ...(oldest === undefined ? [] : changedHooks(oldest.fingerprint, now, oldest.planId)),
  ];
}

interface Remembered {
  readonly planId: string;
  readonly fingerprint: Fingerprint;
}

function fingerprintsOf(plans: readonly PlanRecord[]): readonly Remembered[] {
  return plans.flatMap((plan) => {
    const parsed = fingerprintSchema.safeParse(contextOf(plan)?.metadata['fingerprint']);
    return parsed.success ? [{ planId: plan.planId, fingerprint: parsed.data }] : [];
  });
}

function brokenSettings(before: Fingerprint, now: Fingerprint, planId: string): readonly Finding[] {
  return BREAKING.flatMap((name): readonly Finding[] => {
    const [was, is] = [before.settings[name] ?? null, now.settings[name] ?? null];
    // of a setting that breaks nothing we have no need to speak
    if (is === was || is === null || (name === 'core.bare' && is === 'false')) return [];
    return [
      {
        kind: 'changed-setting',
        subject: name,
        planId,
        severity: 'problem',
        problem: `It is ${is}, and was ${was ?? 'not set'} when the plan was made.`,
        meaning:
          'git does not find the files of the project with it. An agent that runs `git config` in its sandbox changes the settings of your repository.',
        repair: byDoctor(was === null ? 'Removes the setting.' : `Puts it back to ${was}.`, {
          step: 'restore-setting',
          name,
          value: was,
        }),
      },
    ];
  });
}

/** A hook manager does the same as an agent would: to tell who it was is left to people. */
function changedHooks(before: Fingerprint, now: Fingerprint, planId: string): readonly Finding[] {
  const [was, is] = [before.settings[HOOKS_PATH] ?? null, now.settings[HOOKS_PATH] ?? null];
  const path: readonly Finding[] = was === is ? [] : [changedHooksPath(was, is, planId)];
  const isHook = (name: string): boolean => name.startsWith('hooks/');
  // with another folder, all hooks are others
  const names = was === is ? [...new Set([...Object.keys(before.files), ...Object.keys(now.files)])] : [];
  return [
    ...path,
    ...names
      .filter(
        (name) => isHook(name) && before.files[name] !== now.files[name] && now.files[name] !== undefined,
      )
      .sort()
      .map((name) => changedHook(name, before.files[name] === undefined ? 'added' : 'changed', planId)),
  ];
}

const HOOKS_MEAN =
  'git runs hooks as you. Whoever works in a sandbox can change them, and so can you, or a tool of yours.';

function changedHooksPath(was: string | null, is: string | null, planId: string): Finding {
  return {
    kind: 'changed-setting',
    subject: HOOKS_PATH,
    planId,
    severity: 'problem',
    problem: `It is ${is ?? 'not set'}, and was ${was ?? 'not set'} when the plan was made.`,
    meaning: HOOKS_MEAN,
    repair: byYou(
      'Put it back if it was not you.',
      ...(was === null ? ['git', 'config', '--unset-all', HOOKS_PATH] : ['git', 'config', HOOKS_PATH, was]),
    ),
  };
}

function changedHook(name: string, how: string, planId: string): Finding {
  return {
    kind: 'changed-hook',
    subject: name,
    planId,
    severity: 'problem',
    problem: `This hook was ${how} since the plan was made.`,
    meaning: HOOKS_MEAN,
    repair: byYou('Read it, and remove it if it is not yours. It is named until the plan is over.'),
  };
}
