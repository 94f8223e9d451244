import type { SandboxState } from '@cleveragents/sandbox-domain';
import type { Sandbox } from '@cleveragents/sandbox-ports';
import { FixedClock } from './clocks.ts';

export const FLOW_PLAN_ID = 'plan 1';

/** Stands still: what is rescued in a test must not be 30 days old in the same test. */
export const FLOW_CLOCK = new FixedClock('2026-04-09T17:30:00Z');

/** One call on a sandbox, which a process of its own is to make. */
export interface SandboxFlow {
  readonly call: 'create' | 'commit' | 'rollback' | 'refresh' | 'cleanup';
  readonly options: object;
  /** Calls again, on the same sandbox, when the first call fails. */
  readonly retries: boolean;
}

export interface FlowFailure {
  /** Name of the error's class. */
  readonly name: string;
  readonly code: string | null;
  readonly hint: string | null;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly stack: string;
}

export interface FlowReport {
  readonly failure: FlowFailure | null;
  readonly retryFailure: FlowFailure | null;
  readonly state: SandboxState;
}

export async function callSandbox(
  sandbox: Sandbox,
  { call, options }: Pick<SandboxFlow, 'call' | 'options'>,
): Promise<unknown> {
  switch (call) {
    case 'create':
      return sandbox.create(FLOW_PLAN_ID, options);
    case 'commit':
      return sandbox.commit('what the plan is for', options);
    case 'rollback':
      return sandbox.rollback(options);
    case 'refresh':
      return sandbox.refresh(options);
    case 'cleanup':
      return sandbox.cleanup(options);
  }
}

/** Makes the call, and says on standard output how it ended: a {@link FlowReport}. */
export async function playFlow(sandbox: Sandbox, flow: SandboxFlow): Promise<void> {
  const failure = await failureOf(callSandbox(sandbox, flow));
  const retryFailure = failure !== null && flow.retries ? await failureOf(callSandbox(sandbox, flow)) : null;
  const report: FlowReport = { failure, retryFailure, state: sandbox.state };
  process.stdout.write(JSON.stringify(report));
}

/** Null when the work came to its end. */
export async function failureOf(work: Promise<unknown>): Promise<FlowFailure | null> {
  try {
    await work;
    return null;
  } catch (error) {
    const { constructor, code, hint, message, data, stack, cause } = error as Error & Partial<FlowFailure>;
    const from = cause instanceof Error ? `\ncaused by ${cause.stack ?? cause.message}` : '';
    return {
      name: constructor.name,
      code: code ?? null,
      hint: hint ?? null,
      message,
      data: data ?? null,
      stack: `${stack ?? ''}${from}`,
    };
  }
}
