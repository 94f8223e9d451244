import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { branchNameForPlan, distinctBranchName } from '@cleveragents/sandbox-domain';

describe('the branch of a plan', () => {
  it.each([
    ['plan-001', 'cleveragents/plan-plan-001'],
    ['plan with spaces!@#', 'cleveragents/plan-plan-with-spaces-'],
    ['a/b', 'cleveragents/plan-a/b'],
    ['a_b.c', 'cleveragents/plan-a_b.c'],
    ['a..b', 'cleveragents/plan-a-b'],
    ['x.lock', 'cleveragents/plan-x-lock'],
    ['-x', 'cleveragents/plan--x'],
    ['.hid', 'cleveragents/plan--hid'],
    ['a//b', 'cleveragents/plan-a/b'],
    ['a/../b', 'cleveragents/plan-a/-/b'],
    ['🙂', 'cleveragents/plan--'],
    ['/', 'cleveragents/plan--'],
  ])('for %j is %s', (planId, branch) => {
    expect(branchNameForPlan(planId)).toBe(branch);
  });

  it('is one that git takes, for any plan id', () => {
    const hostile = fc.oneof(
      fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }),
      fc.string({
        minLength: 1,
        maxLength: 12,
        unit: fc.constantFrom('.', '/', '-', 'a', '@', '{', '~', 'lock', '.lock'),
      }),
      fc.string({ minLength: 300, maxLength: 900, unit: fc.constantFrom('a', '/', '.', ' ') }),
    );
    const names = fc.sample(hostile, 300).flatMap((id) => [branchNameForPlan(id), distinctBranchName(id)]);
    for (const name of names) {
      expect(name).toMatch(/^cleveragents\/plan-[A-Za-z0-9._/-]+$/);
      for (const component of name.split('/')) expect(component.length).toBeLessThan(230);
    }
    const script = names.map(
      (name) => `git check-ref-format ${JSON.stringify(`refs/heads/${name}`)} || echo BAD ${name}`,
    );
    const { stdout, status } = spawnSync('sh', { input: script.join('\n'), encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  });

  it('differs from every other by its hash when names collide', () => {
    expect(distinctBranchName('a b')).toMatch(/^cleveragents\/plan-a-b-[0-9a-f]{8}$/);
    expect(distinctBranchName('a/b/c')).toMatch(/^cleveragents\/plan-a-b-c-[0-9a-f]{8}$/);
    expect(distinctBranchName('a b')).not.toBe(distinctBranchName('a-b'));
  });
});
