import {
  assertReady,
  PlanError,
  type PlanRecord,
  type Resource,
  type SandboxCall,
  strategyFor,
} from '@cleveragents/sandbox-domain';
import type { Sandbox, SandboxFactory } from '@cleveragents/sandbox-ports';

/** The sandboxes of plans: which strategy a resource takes, and a plan's own sandbox as its record tells. */
export class PlanSandboxes {
  readonly #factories: readonly SandboxFactory[];

  /** @param factories one for each strategy. */
  constructor(factories: readonly SandboxFactory[]) {
    this.#factories = factories;
  }

  /** @throws PlanError `PLAN_STRATEGY_MISSING`. */
  factoryFor({ type }: Resource): SandboxFactory {
    const strategy = strategyFor(type);
    const factory = this.#factories.find((each) => each.strategy === strategy);
    if (factory !== undefined) return factory;
    throw new PlanError(
      'PLAN_STRATEGY_MISSING',
      `No sandbox of strategy ${strategy} is available for ${type} resources`,
      {
        hint: 'Use a git repository with at least one commit (`git init && git add -A && git commit`).',
        data: { strategy, type },
      },
    );
  }

  of({ resource, sandbox }: PlanRecord): Sandbox {
    return this.factoryFor(resource).reopen(placeOf(resource), sandbox);
  }

  /** @throws PlanError `PLAN_WITHOUT_SANDBOX`. @throws SandboxStateError. */
  ready(plan: PlanRecord, call: SandboxCall): Sandbox {
    assertReady(plan, call);
    return this.of(plan);
  }
}

/** A resource as sandboxes are told of it. */
export function placeOf({ resourceId, path }: Resource): {
  readonly resourceId: string;
  readonly originalPath: string;
} {
  return { resourceId, originalPath: path };
}
