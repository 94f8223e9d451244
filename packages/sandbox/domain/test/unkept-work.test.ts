import { describe, expect, it } from '@jest/globals';
import { assertNothingUnkept } from '@cleveragents/sandbox-domain';

describe('work that nobody can keep', () => {
  it('keeps its sandbox from being removed, by name and with the way out', () => {
    const parts = [
      { path: 'hidden', reason: 'cannot be read' },
      { path: 'deep/.GIT', reason: 'has a name that git does not keep' },
    ];
    expect(() => assertNothingUnkept('/sandbox', parts)).toThrow(
      expect.objectContaining({
        code: 'SANDBOX_CLEANUP_FAILED',
        message: expect.stringMatching(/hidden cannot be read[^]*deep\/\.GIT has a name/),
        hint: expect.stringContaining('chmod'),
        data: { path: '/sandbox', parts },
      }),
    );
  });

  it('is nothing to complain of when there is none', () => {
    expect(() => assertNothingUnkept('/sandbox', [])).not.toThrow();
  });
});
