import { describe, expect, it } from '@jest/globals';
import { isAllowed, SANDBOX_STATUSES, type SandboxCall, statusAfter } from '@cleveragents/sandbox-domain';

const TABLE: Readonly<Record<SandboxCall, string>> = {
  //          pending     created     active       committed    rolled_back  cleaned_up
  create: '   created     -           -            -            -            -          ',
  getPath: '  -           active      active       -            -            -          ',
  inspect: '  -           created     active       -            -            -          ',
  refresh: '  -           created     active       -            -            -          ',
  commit: '   -           committed   committed    -            -            -          ',
  rollback: ' -           -           rolled_back  rolled_back  -            -          ',
  cleanup: '  cleaned_up  cleaned_up  cleaned_up   cleaned_up   cleaned_up   cleaned_up ',
};

const rows = Object.entries(TABLE).flatMap(([call, cells]) =>
  cells
    .trim()
    .split(/\s+/)
    .map((next, column) => ({ call: call as SandboxCall, status: SANDBOX_STATUSES[column]!, next })),
);

describe('the life cycle of a sandbox', () => {
  it.each(rows.filter(({ next }) => next !== '-'))(
    '$call leads from $status to $next',
    ({ call, status, next }) => {
      expect(statusAfter(status, call)).toBe(next);
      expect(isAllowed(status, call)).toBe(true);
    },
  );

  it.each(rows.filter(({ next }) => next === '-'))('refuses $call when $status', ({ call, status }) => {
    expect(isAllowed(status, call)).toBe(false);
    expect(() => statusAfter(status, call)).toThrow(
      expect.objectContaining({
        code: 'SANDBOX_INVALID_STATE',
        message: expect.stringContaining(`is ${status}`),
        hint: expect.stringContaining('is allowed when'),
      }),
    );
  });
});
