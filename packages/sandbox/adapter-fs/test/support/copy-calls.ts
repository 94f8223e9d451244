import { FileCopySandbox } from '@cleveragents/sandbox-adapter-fs';
import type { SandboxState } from '@cleveragents/sandbox-domain';
import { FixedClock } from '@cleveragents/shared-testing';

export type FlowCall = 'create' | 'commit' | 'rollback' | 'refresh' | 'cleanup';

export interface CopyPlace {
  readonly root: string;
  readonly sandboxes: string;
  readonly kept: string;
}

export interface FlowRequest {
  readonly place: CopyPlace;
  readonly state: SandboxState;
  readonly call: FlowCall;
  readonly options: object;
  /** Calls again, on the same sandbox, when the first call fails. */
  readonly retries: boolean;
}

export interface FlowFailure {
  /** Name of the error's class. */
  readonly name: string;
  readonly code: string | null;
  readonly hint: string | null;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly stack: string;
}

export interface FlowReport {
  readonly failure: FlowFailure | null;
  readonly retryFailure: FlowFailure | null;
  readonly state: SandboxState;
}

export const PLAN_ID = 'plan 1';

/** Stands still: what is rescued in a test must not be 30 days old in the same test. */
export const CLOCK = new FixedClock('2026-04-09T17:30:00Z');

export function openCopy({ root, sandboxes, kept }: CopyPlace, state: SandboxState): FileCopySandbox {
  const folders = { originalPath: root, sandboxFolder: sandboxes, stateFolder: kept };
  return new FileCopySandbox({ resourceId: 'app', ...folders, state, clock: CLOCK });
}

export async function callCopy(sandbox: FileCopySandbox, call: FlowCall, options: object): Promise<unknown> {
  switch (call) {
    case 'create':
      return sandbox.create(PLAN_ID, options);
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
