import { join } from 'node:path';
import { FileCopySandboxFactory, FilePlanRepository } from '@cleveragents/sandbox-adapter-fs';
import { PlanLifecycleService } from '@cleveragents/sandbox-application';
import { FLOW_CLOCK, FLOW_PLAN_ID } from '@cleveragents/shared-testing';
import type { CopyPlace } from './copy-calls.ts';

export type PlanCall = 'create' | 'apply' | 'rollback' | 'refresh' | 'cleanup' | 'restore';

export interface PlanRequest {
  readonly place: CopyPlace;
  readonly call: PlanCall;
}

/** As the command line has them, for a project that is no repository. */
export function openPlans({ sandboxes, kept }: CopyPlace): PlanLifecycleService {
  return new PlanLifecycleService({
    plans: new FilePlanRepository({ directory: join(kept, 'plans') }),
    sandboxes: [
      new FileCopySandboxFactory({ sandboxFolder: sandboxes, stateFolder: kept, clock: FLOW_CLOCK }),
    ],
    clock: FLOW_CLOCK,
  });
}

export function resourceAt(root: string): Parameters<PlanLifecycleService['recover']>[0] {
  return { resourceId: 'app', type: 'directory', path: root, project: 'local/app' };
}

export async function callPlans({ place, call }: PlanRequest): Promise<unknown> {
  const plans = openPlans(place);
  switch (call) {
    case 'create':
      return plans.create({ planId: FLOW_PLAN_ID, resource: resourceAt(place.root) });
    case 'apply':
      return plans.apply(FLOW_PLAN_ID);
    case 'rollback':
      return plans.rollback(FLOW_PLAN_ID);
    case 'refresh':
      return plans.refresh(FLOW_PLAN_ID);
    case 'cleanup':
      return plans.cleanup(FLOW_PLAN_ID);
    case 'restore':
      return plans.restore(FLOW_PLAN_ID);
  }
}
