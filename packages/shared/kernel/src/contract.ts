/**
 * What every adapter of a port must do, as data: a ports package publishes it without knowing any test runner, and a team
 * that writes an adapter of its own runs the same cases.
 */
export interface Contract<Subject, Capability extends string = never> {
  readonly name: string;
  readonly cases: readonly ContractCase<Subject, Capability>[];
}

export interface ContractCase<Subject, Capability extends string = never> {
  /** The rule that this case proves, in one sentence. Unique within its contract. */
  readonly name: string;
  /** The case is left out for an adapter that does not declare each of these; never because it failed. */
  readonly requires?: readonly Capability[];
  /** Gets a fresh subject that no other case has seen. Rejects when the rule is broken. */
  run(subject: Subject): Promise<void>;
}
