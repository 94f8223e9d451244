import { describe, expect, it } from '@jest/globals';
import { parsePlanId, planKey } from '@cleveragents/shared-kernel';
import {
  advanced,
  describeDrift,
  isExpiredRescue,
  looksLikeMassDeletion,
  newPlan,
  NOTHING_COMMITTED,
  type PlanEvent,
  planRecordSchema,
  recorded,
  rescueRefName,
  rescueTime,
  type SandboxContext,
  type SandboxState,
  strategyFor,
  summariseFiles,
} from '@cleveragents/sandbox-domain';

const at = new Date('2026-04-09T17:30:00.123Z');
const sandboxId = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const context: SandboxContext = {
  sandboxId,
  planId: 'a',
  resourceId: 'app',
  originalPath: '/projects/app',
  sandboxPath: '/tmp/ca-sandbox-a',
  createdAt: at.toISOString(),
  metadata: { strategy: 'file_copy' },
};
const resource = { resourceId: 'app', type: 'git', path: '/projects/app', project: 'local/app' };
const plan = newPlan(parsePlanId('a'), resource, { status: 'pending', sandboxId }, at);
const event = (kind: PlanEvent['kind']): PlanEvent => ({ at: at.toISOString(), kind, detail: kind });

describe('a plan', () => {
  it.each<[SandboxState, string]>([
    [{ status: 'pending', sandboxId }, 'open'],
    [{ status: 'created', sandboxId, context }, 'open'],
    [{ status: 'active', sandboxId, context }, 'open'],
    [{ status: 'committed', sandboxId, context, result: NOTHING_COMMITTED }, 'applied'],
    [{ status: 'rolled_back', sandboxId, context, rescueRefs: [] }, 'rolled_back'],
    [{ status: 'cleaned_up', sandboxId, context, rescueRefs: [] }, 'closed'],
  ])('whose sandbox is $status is %s', (sandbox, status) => {
    expect(advanced(plan, sandbox, event('executed')).status).toBe(status);
  });

  it('stays applied when its sandbox is removed', () => {
    const applied = advanced(
      plan,
      { status: 'committed', sandboxId, context, result: NOTHING_COMMITTED },
      event('applied'),
    );
    const cleaned = advanced(
      applied,
      { status: 'cleaned_up', sandboxId, context, rescueRefs: ['r'] },
      event('cleaned_up'),
    );
    expect(cleaned).toMatchObject({ status: 'applied', rescueRefs: ['r'] });
    expect(cleaned.history.map(({ kind }) => kind)).toEqual(['applied', 'cleaned_up']);
  });

  it('survives being written down', () => {
    const active = advanced(plan, { status: 'active', sandboxId, context }, event('executed'));
    expect(planRecordSchema.parse(JSON.parse(JSON.stringify(active)))).toEqual(active);
  });

  it('keeps its first event and the newest ones', () => {
    let long = recorded(plan, event('created'));
    for (let i = 0; i < 600; i++) long = recorded(long, { ...event('executed'), detail: String(i) });
    expect(long.history).toHaveLength(500);
    expect(long.history[0]?.kind).toBe('created');
    expect(long.history.at(-1)?.detail).toBe('599');
  });

  it.each([
    ['git-checkout', 'git_worktree'],
    ['git', 'git_worktree'],
    ['directory', 'file_copy'],
  ])('on a %s resource works in a %s sandbox', (type, strategy) => {
    expect(strategyFor(type)).toBe(strategy);
  });
});

describe('a summary of files', () => {
  it('sorts paths by what became of them and counts a rename as one gone and one new', () => {
    const report = { renamedFrom: null, binary: false, insertions: 1, deletions: 2 };
    const files = [
      { ...report, path: 'm', kind: 'modified' as const },
      { ...report, path: 'x', kind: 'mode' as const },
      { ...report, path: 'new', kind: 'renamed' as const, renamedFrom: 'old' },
      { ...report, path: 'add', kind: 'added' as const },
      { ...report, path: 'del', kind: 'deleted' as const },
    ];
    expect(summariseFiles(files)).toMatchObject({
      changedFiles: ['m', 'x'],
      addedFiles: ['add', 'new'],
      deletedFiles: ['del', 'old'],
      renamedFiles: [{ from: 'old', to: 'new' }],
      insertions: 5,
      deletions: 10,
    });
  });
});

describe('a rescue ref', () => {
  const name = rescueRefName(planKey(parsePlanId('a')), at);

  it('says when it was made', () => {
    expect(name).toMatch(/^refs\/cleveragents\/rescue\/a-[0-9a-f]{12}\/20260409T173000123Z$/);
    expect(rescueTime(name)).toEqual(at);
    expect(rescueTime(`${name}-2`)).toEqual(at);
  });

  it.each([
    ['after 29 days', 29, false],
    ['after 31 days', 31, true],
  ])('%s', (_when, days, expired) => {
    expect(isExpiredRescue(name, new Date(at.getTime() + days * 86_400_000))).toBe(expired);
  });

  it('is never let go when the name is not ours', () => {
    for (const ref of [
      'refs/heads/main',
      'refs/cleveragents/rescue/a/latest',
      'refs/tags/20200101T000000000Z',
    ])
      expect(isExpiredRescue(ref, new Date('2099-01-01'))).toBe(false);
  });
});

describe('a mass deletion', () => {
  it.each([
    [11, 20, true],
    [10, 20, false],
    [19, 19, false],
    [20, 20, true],
    [0, 1000, false],
  ])('%d gone of %d: %s', (deletedFiles, filesBefore, suspicious) => {
    expect(looksLikeMassDeletion({ deletedFiles, filesBefore })).toBe(suspicious);
  });
});

describe('drift', () => {
  const before = {
    refs: { 'refs/heads/main': '1', 'refs/stash': '2' },
    files: { config: 'a' },
    settings: {},
  };

  it('names settings first, then files, then refs, and leaves out our own', () => {
    const now = {
      refs: { 'refs/heads/main': '9', 'refs/heads/new': '1', 'refs/heads/cleveragents/plan-a': '3' },
      files: { config: 'b', 'hooks/pre-commit': 'c' },
      settings: { 'core.bare': 'true' },
    };
    expect(describeDrift(before, now, ['refs/heads/cleveragents'])).toEqual([
      'The setting core.bare was changed from unset to true.',
      'config was changed.',
      'hooks/pre-commit was added.',
      'refs/heads/main was moved.',
      'refs/heads/new was created.',
      'refs/stash was deleted.',
    ]);
  });

  it('is empty when nothing changed', () => {
    expect(describeDrift(before, before, [])).toEqual([]);
  });
});
