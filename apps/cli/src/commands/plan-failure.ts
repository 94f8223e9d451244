/** What failed, and which plan it was about: hints name the plan then. */
export class PlanFailure extends Error {
  readonly planId: string;
  readonly reason: unknown;

  constructor(planId: string, reason: unknown) {
    super(`about plan ${planId}`, { cause: reason });
    this.planId = planId;
    this.reason = reason;
  }
}

/** Runs `work`; whatever it throws is known to be about the plan. */
export async function aboutPlan<T>(planId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PlanFailure ? error : new PlanFailure(planId, error);
  }
}
