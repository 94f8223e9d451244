import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FilePlanRepository } from '@cleveragents/sandbox-adapter-fs';
import { GitWorktreeSandboxFactory } from '@cleveragents/sandbox-adapter-git-worktree';
import { PlanLifecycleService } from '@cleveragents/sandbox-application';
import { FLOW_CLOCK, FLOW_PLAN_ID, type FlowFailure } from '@cleveragents/shared-testing';
import type { Place } from './picture.ts';

export type PlanCall = 'create' | 'execute' | 'apply' | 'rollback' | 'refresh' | 'cleanup';

export interface PlanRequest {
  readonly place: Place;
  readonly call: PlanCall;
}

export interface PlanReport {
  readonly failure: FlowFailure | null;
}

/** Where the command line keeps the plans of a repository. */
export function plansFolder({ root }: Pick<Place, 'root'>): string {
  return join(root, '.git/cleveragents/plans');
}

export function openPlans(place: Place, gitTimeout = 30): PlanLifecycleService {
  return new PlanLifecycleService({
    plans: new FilePlanRepository({ directory: plansFolder(place) }),
    sandboxes: [
      new GitWorktreeSandboxFactory({ sandboxFolder: place.sandboxes, clock: FLOW_CLOCK, gitTimeout }),
    ],
    clock: FLOW_CLOCK,
  });
}

export function resourceAt(root: string): Parameters<PlanLifecycleService['recover']>[0] {
  return { resourceId: 'app', type: 'git-checkout', path: root, project: `local/${basename(root)}` };
}

export async function callPlans({ place, call }: PlanRequest): Promise<unknown> {
  const plans = openPlans(place);
  switch (call) {
    case 'create':
      return plans.create({ planId: FLOW_PLAN_ID, resource: resourceAt(place.root), includeDirty: true });
    case 'execute':
      return plans.execute(FLOW_PLAN_ID, {
        label: 'write',
        run: async ({ path }) => writeFileSync(join(path, 'executed.txt'), 'executed\n'),
      });
    case 'apply':
      return plans.apply(FLOW_PLAN_ID, { message: 'what the plan is for' });
    case 'rollback':
      return plans.rollback(FLOW_PLAN_ID);
    case 'refresh':
      return plans.refresh(FLOW_PLAN_ID);
    case 'cleanup':
      return plans.cleanup(FLOW_PLAN_ID);
  }
}
