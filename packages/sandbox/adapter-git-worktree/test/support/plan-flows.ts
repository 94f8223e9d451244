import type { PlanLifecycleService } from '@cleveragents/sandbox-application';
import { FLOW_PLAN_ID } from '@cleveragents/shared-testing';
import { beginProject, userCommits, workHard } from './flows.ts';
import type { GitLane } from './lane.ts';
import { openPlans, type PlanCall, resourceAt } from './plan-calls.ts';

export interface PlanFlow {
  readonly name: string;
  readonly call: PlanCall;
  readonly arrange: (lane: GitLane) => Promise<void>;
  /** Codes with which the same command may be refused when it had been done already. */
  readonly doneCodes: readonly string[];
}

async function activePlan(lane: GitLane): Promise<PlanLifecycleService> {
  await beginProject(lane);
  const plans = openPlans(lane);
  await plans.create({ planId: FLOW_PLAN_ID, resource: resourceAt(lane.root) });
  await plans.execute(FLOW_PLAN_ID, { label: 'work', run: async ({ path }) => workHard(path) });
  return plans;
}

export const PLAN_FLOWS: readonly PlanFlow[] = [
  { name: 'create', call: 'create', doneCodes: ['PLAN_EXISTS'], arrange: beginProject },
  { name: 'execute', call: 'execute', doneCodes: [], arrange: async (lane) => void (await activePlan(lane)) },
  {
    name: 'apply',
    call: 'apply',
    doneCodes: ['SANDBOX_INVALID_STATE'],
    arrange: async (lane) => {
      await activePlan(lane);
      await userCommits(lane);
    },
  },
  {
    name: 'apply as a fast-forward',
    call: 'apply',
    doneCodes: ['SANDBOX_INVALID_STATE'],
    arrange: async (lane) => void (await activePlan(lane)),
  },
  {
    name: 'rollback of an applied plan',
    call: 'rollback',
    doneCodes: ['SANDBOX_INVALID_STATE'],
    arrange: async (lane) => void (await (await activePlan(lane)).apply(FLOW_PLAN_ID)),
  },
  {
    name: 'rollback of an open plan',
    call: 'rollback',
    doneCodes: ['SANDBOX_INVALID_STATE'],
    arrange: async (lane) => void (await activePlan(lane)),
  },
  {
    name: 'refresh',
    call: 'refresh',
    doneCodes: [],
    arrange: async (lane) => {
      await activePlan(lane);
      await userCommits(lane);
    },
  },
  {
    name: 'cleanup',
    call: 'cleanup',
    doneCodes: [],
    arrange: async (lane) => void (await activePlan(lane)),
  },
];
