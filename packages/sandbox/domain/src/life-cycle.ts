import { SandboxStateError } from './sandbox.errors.ts';

export const SANDBOX_STATUSES = [
  'pending',
  'created',
  'active',
  'committed',
  'rolled_back',
  'cleaned_up',
] as const;
export type SandboxStatus = (typeof SANDBOX_STATUSES)[number];

/** What can be asked of a sandbox. `inspect` stands for everything that only reads its changes. */
export type SandboxCall = 'create' | 'getPath' | 'inspect' | 'refresh' | 'commit' | 'rollback' | 'cleanup';

/**
 * ```
 * pending --create--> created --getPath--> active --commit--> committed --rollback--> rolled_back
 *                        \--commit--> committed      active --rollback--> rolled_back
 * any --cleanup--> cleaned_up
 * ```
 * A call that is missing for a status is refused there.
 */
const LIFE_CYCLE: Readonly<Record<SandboxStatus, Partial<Readonly<Record<SandboxCall, SandboxStatus>>>>> = {
  pending: { create: 'created', cleanup: 'cleaned_up' },
  created: {
    getPath: 'active',
    inspect: 'created',
    refresh: 'created',
    commit: 'committed',
    cleanup: 'cleaned_up',
  },
  active: {
    getPath: 'active',
    inspect: 'active',
    refresh: 'active',
    commit: 'committed',
    rollback: 'rolled_back',
    cleanup: 'cleaned_up',
  },
  committed: { rollback: 'rolled_back', cleanup: 'cleaned_up' },
  rolled_back: { cleanup: 'cleaned_up' },
  cleaned_up: { cleanup: 'cleaned_up' },
};

const CALL_NAMES: Readonly<Record<SandboxCall, string>> = {
  create: 'create()',
  getPath: 'getPath()',
  inspect: 'changes()',
  refresh: 'refresh()',
  commit: 'commit()',
  rollback: 'rollback()',
  cleanup: 'cleanup()',
};

/**
 * The status that `call` leads to.
 * @throws SandboxStateError naming the status, the call, and the statuses in which the call is allowed.
 */
export function statusAfter(status: SandboxStatus, call: SandboxCall): SandboxStatus {
  const next = LIFE_CYCLE[status][call];
  if (next !== undefined) return next;
  const allowed = SANDBOX_STATUSES.filter((other) => LIFE_CYCLE[other][call] !== undefined);
  throw new SandboxStateError(`Cannot call ${CALL_NAMES[call]} on a sandbox that is ${status}`, {
    hint: `${CALL_NAMES[call]} is allowed when the sandbox is ${allowed.join(' or ')}.`,
    data: { status, call, allowed },
  });
}

export function isAllowed(status: SandboxStatus, call: SandboxCall): boolean {
  return LIFE_CYCLE[status][call] !== undefined;
}
