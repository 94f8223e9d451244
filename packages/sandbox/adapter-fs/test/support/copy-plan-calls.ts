import { join } from 'node:path';
import { FileCopySandboxFactory, FilePlanRepository } from '@cleveragents/sandbox-adapter-fs';
import { PlanLifecycleService } from '@cleveragents/sandbox-application';
import { CLOCK, type CopyPlace, PLAN_ID } from './copy-calls.ts';

export type PlanCall = 'create' | 'apply' | 'rollback' | 'refresh' | 'cleanup' | 'restore';

export interface PlanRequest {
  readonly place: CopyPlace;
  readonly call: PlanCall;
}

/** As the command line has them, for a project that is no repository. */
export function openPlans({ sandboxes, kept }: CopyPlace): PlanLifecycleService {
  return new PlanLifecycleService({
    plans: new FilePlanRepository({ directory: join(kept, 'plans') }),
    sandboxes: [new FileCopySandboxFactory({ sandboxFolder: sandboxes, stateFolder: kept, clock: CLOCK })],
    clock: CLOCK,
  });
}

export function resourceAt(root: string): Parameters<PlanLifecycleService['recover']>[0] {
  return { resourceId: 'app', type: 'directory', path: root, project: 'local/app' };
}

export async function callPlans({ place, call }: PlanRequest): Promise<unknown> {
  const plans = openPlans(place);
  switch (call) {
    case 'create':
      return plans.create({ planId: PLAN_ID, resource: resourceAt(place.root) });
    case 'apply':
      return plans.apply(PLAN_ID);
    case 'rollback':
      return plans.rollback(PLAN_ID);
    case 'refresh':
      return plans.refresh(PLAN_ID);
    case 'cleanup':
      return plans.cleanup(PLAN_ID);
    case 'restore':
      return plans.restore(PLAN_ID);
  }
}
