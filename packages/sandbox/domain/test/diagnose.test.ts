import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parsePlanId } from '@cleveragents/shared-kernel';
import {
  diagnose,
  type DoctorFacts,
  type Finding,
  type HolderState,
  type LockTrace,
  newPlan,
  type PlanRecord,
  type SandboxContext,
  type SandboxFacts,
  type SandboxState,
  type SandboxTrace,
} from '@cleveragents/sandbox-domain';

const NOW = new Date('2026-04-09T17:30:00.000Z');
const FINGERPRINT = { refs: {}, files: {}, settings: { 'core.bare': 'false' } };

const NOTHING: SandboxFacts = {
  strategy: 'git_worktree',
  traces: [],
  branches: [],
  memories: [],
  rescues: [],
  operations: [],
  damage: null,
  locks: [],
  fingerprint: FINGERPRINT,
};

function facts(sandboxes: Partial<SandboxFacts> = {}, more: Partial<DoctorFacts> = {}): DoctorFacts {
  return {
    now: NOW,
    plans: [],
    unreadable: [],
    planLocks: [],
    ...more,
    sandboxes: { ...NOTHING, ...sandboxes },
  };
}

function contextOf(planId: string): SandboxContext {
  return {
    sandboxId: `sandbox of ${planId}`,
    planId,
    resourceId: 'app',
    originalPath: '/app',
    sandboxPath: `/sandboxes/${planId}`,
    createdAt: NOW.toISOString(),
    metadata: {
      strategy: 'git_worktree',
      branch: `cleveragents/plan-${planId}`,
      baseCommit: '0'.repeat(40),
      targetBranch: 'main',
      gitDirectory: `/app/.git/worktrees/${planId}`,
      engine: 'isomorphic',
      linkedPaths: [],
      fingerprint: FINGERPRINT,
    },
  };
}

function stateOf(planId: string): SandboxState {
  return { status: 'active', sandboxId: `sandbox of ${planId}`, context: contextOf(planId) };
}

function plan(planId: string, sandbox: SandboxState = stateOf(planId)): PlanRecord {
  const resource = { resourceId: 'app', type: 'git', path: '/app', project: 'local/app' };
  return newPlan(parsePlanId(planId), resource, sandbox, NOW);
}

function trace(planId: string, condition: SandboxTrace['condition'] = 'whole'): SandboxTrace {
  const { sandboxId, sandboxPath: path } = contextOf(planId);
  return { sandboxId, planId, path, condition, locked: null, state: stateOf(planId) };
}

function kindsOf(given: DoctorFacts): readonly string[] {
  return diagnose(given).findings.map(({ kind }) => kind);
}

function stepOf({ repair }: Finding): string {
  return repair.by === 'you' ? 'you' : repair.step.step;
}

describe('a project', () => {
  it('with plans whose sandboxes are whole is healthy', () => {
    expect(diagnose(facts({ traces: [trace('a')] }, { plans: [plan('a')] }))).toEqual({
      findings: [],
      kept: [],
    });
  });

  it('whose sandbox is being removed by a living process is healthy', () => {
    const operations = [
      { operation: 'remove', subject: '/sandboxes/a', startedAt: NOW.toISOString(), process: 'alive' },
    ] as const;
    expect(kindsOf(facts({ traces: [trace('a', 'missing')], operations }, { plans: [plan('a')] }))).toEqual(
      [],
    );
    expect(kindsOf(facts({ traces: [trace('a')], operations }))).toEqual([]);
  });

  it('whose plan is locked by a living process is healthy', () => {
    const { key } = plan('a');
    const lock = { path: `/plans/${key}.lock`, holder: 'alive', pid: 7, kind: 'own-folder' } as const;
    const planLocks = [{ ...lock, since: NOW.toISOString() }];
    expect(kindsOf(facts({}, { plans: [plan('a')], planLocks }))).toEqual([]);
  });
});

describe('a sandbox', () => {
  it.each<[SandboxTrace['condition'], string, string]>([
    ['missing', 'sandbox-missing', 'clean-up'],
    ['detached', 'sandbox-detached', 'reattach'],
    ['unproven', 'sandbox-unproven', 'you'],
  ])('of a plan that is %s', (condition, kind, step) => {
    const [finding] = diagnose(facts({ traces: [trace('a', condition)] }, { plans: [plan('a')] })).findings;
    expect([finding?.kind, finding && stepOf(finding)]).toEqual([kind, step]);
  });

  it.each<[SandboxTrace['condition'], string, string]>([
    ['whole', 'orphan-sandbox', 'adopt'],
    ['missing', 'orphan-sandbox', 'remove'],
    ['detached', 'sandbox-detached', 'reattach'],
    ['unproven', 'sandbox-unproven', 'you'],
    ['unfinished', 'orphan-sandbox', 'recover'],
  ])('that no record knows and is %s', (condition, kind, step) => {
    const [finding] = diagnose(facts({ traces: [trace('a', condition)] })).findings;
    expect([finding?.kind, finding && stepOf(finding)]).toEqual([kind, step]);
  });

  it('is none of ours to judge while the record of its plan cannot be read', () => {
    const unreadable = [{ name: `${plan('a').key}.json`, reason: 'cut off', fault: 'newer' }] as const;
    const memories = [{ ref: 'refs/x', target: '0', key: plan('a').key }];
    expect(kindsOf(facts({ traces: [trace('a')], memories }, { unreadable }))).toEqual(['plan-unreadable']);
  });

  it('that somebody locked is worth a note', () => {
    const traces = [{ ...trace('a'), locked: 'on a stick' }];
    const [finding] = diagnose(facts({ traces }, { plans: [plan('a')] })).findings;
    expect(finding).toMatchObject({ kind: 'sandbox-locked', severity: 'note', repair: { by: 'you' } });
  });
});

describe('a branch', () => {
  const branch = { name: 'cleveragents/plan-a', commit: '1'.repeat(40), isHeld: false, isCheckedOut: false };
  const over: SandboxState = { ...stateOf('a'), status: 'cleaned_up', rescueRefs: [] } as SandboxState;

  it.each<[string, DoctorFacts, readonly string[]]>([
    [
      'of a sandbox that is there',
      facts({ branches: [branch], traces: [trace('a')] }, { plans: [plan('a')] }),
      [],
    ],
    ['that is checked out', facts({ branches: [{ ...branch, isCheckedOut: true }] }), []],
    [
      'of a plan that is over, with commits that another branch holds',
      facts({ branches: [{ ...branch, isHeld: true }] }, { plans: [plan('a', over)] }),
      ['drop-branch'],
    ],
    ['of a plan that is over', facts({ branches: [branch] }, { plans: [plan('a', over)] }), ['drop-branch']],
    ['of nobody, with commits of its own', facts({ branches: [branch] }), ['you']],
    ['of nobody, that another branch holds', facts({ branches: [{ ...branch, isHeld: true }] }), ['you']],
  ])('%s', (_what, given, steps) => {
    expect(diagnose(given).findings.map(stepOf)).toEqual(steps);
  });
});

describe('settings', () => {
  const changed = { ...FINGERPRINT, settings: { 'core.bare': 'true', 'core.hooksPath': '.husky' } };

  it('that hide the files are put back, also when the plan is over; hooks are left to people', () => {
    const open = facts({ traces: [trace('a')], fingerprint: changed }, { plans: [plan('a')] });
    expect(diagnose(open).findings.map((each) => [each.subject, stepOf(each)])).toEqual([
      ['core.bare', 'restore-setting'],
      ['core.hooksPath', 'you'],
    ]);
    const closed = { ...stateOf('a'), status: 'cleaned_up', rescueRefs: [] } as SandboxState;
    const over = facts({ fingerprint: changed }, { plans: [plan('a', closed)] });
    expect(diagnose(over).findings.map(({ subject }) => subject)).toEqual(['core.bare']);
  });

  it('are nobody’s business where no plan remembers them', () => {
    expect(kindsOf(facts({ fingerprint: changed }))).toEqual([]);
  });
});

describe('saved work', () => {
  const ref = (time: string): string => `refs/cleveragents/rescue/${plan('a').key}/${time}`;
  const rescue = (time: string, at: string | null) => ({ ref: ref(time), key: plan('a').key, at });

  it('is kept for 30 days, known by its plan, and then let go of', () => {
    const rescues = [
      rescue('20260401T000000000Z', '2026-04-01T00:00:00.000Z'),
      rescue('20260301T000000000Z', '2026-03-01T00:00:00.000Z'),
      rescue('mine', null),
    ];
    const { findings, kept } = diagnose(facts({ rescues, traces: [trace('a')] }, { plans: [plan('a')] }));
    expect(kept).toEqual([
      {
        ref: ref('20260401T000000000Z'),
        planId: 'a',
        at: '2026-04-01T00:00:00.000Z',
        until: '2026-05-01T00:00:00.000Z',
      },
    ]);
    expect(findings.map((each) => [each.kind, each.severity, stepOf(each)])).toEqual([
      ['expired-rescue', 'note', 'recover'],
      ['unknown-rescue', 'note', 'you'],
    ]);
  });
});

describe('locks', () => {
  const lock: fc.Arbitrary<LockTrace> = fc.record({
    path: fc.constantFrom('/a.lock', '/b.lock', '/c.lock'),
    holder: fc.constantFrom<HolderState>('alive', 'dead', 'unknown', 'foreign'),
    pid: fc.constantFrom(7, null),
    since: fc.constantFrom('2026-04-09T17:29:00.000Z', '2026-01-01T00:00:00.000Z'),
    kind: fc.constantFrom('git-file', 'own-folder'),
  });

  it('are freed only where their holder is ours and dead, and named unless it lives', () => {
    fc.assert(
      fc.property(lock, (one) => {
        const found = diagnose(facts({ locks: [one] })).findings;
        expect(found).toHaveLength(one.holder === 'alive' ? 0 : 1);
        for (const { repair } of found) expect(repair.by).toBe(one.holder === 'dead' ? 'doctor' : 'you');
      }),
    );
  });

  it('are named in the same order, in whatever order they are found', () => {
    fc.assert(
      fc.property(fc.uniqueArray(lock, { selector: ({ path }) => path }), (locks) => {
        expect(diagnose(facts({ locks: locks.toReversed() }))).toEqual(diagnose(facts({ locks })));
      }),
    );
  });
});
