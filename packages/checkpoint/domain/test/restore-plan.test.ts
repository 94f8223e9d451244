import { describe, expect, it } from '@jest/globals';
import { parseRelativePath, type RelativePath } from '@cleveragents/shared-kernel';
import {
  planRestore,
  type RestoreChoice,
  type RestoreFacts,
  type SnapshotDifference,
  type SnapshotEntry,
} from '@cleveragents/checkpoint-domain';

const path = (raw: string): RelativePath => parseRelativePath(raw);
const file = (contentId: string, mode = 0o644): SnapshotEntry => ({ kind: 'file', mode, contentId });
const link = (contentId: string): SnapshotEntry => ({ kind: 'link', contentId });
const directory = (mode = 0o755): SnapshotEntry => ({ kind: 'directory', mode });
const differs = (
  raw: string,
  present: SnapshotEntry | null,
  wanted: SnapshotEntry | null,
): SnapshotDifference => ({ path: path(raw), present, wanted });

/** `['restore a', 'keep b: ignored']`, whole. */
function outcome(facts: Partial<RestoreFacts>, choice?: RestoreChoice): string[] {
  const plan = planRestore({ differences: [], uncoveredNow: [], uncoveredThen: [], ...facts }, choice);
  return [
    ...plan.steps.map((step) => `${step.wanted === null ? 'delete' : 'restore'} ${step.path}`),
    ...plan.kept.map((kept) => `keep ${kept.path}: ${kept.reason}`),
  ];
}
const ignored = (raw: string): { path: string; reason: 'ignored' } => ({ path: raw, reason: 'ignored' });

describe('a path that the target holds', () => {
  it.each([
    ['changed', file('new'), ['restore a']],
    ['deleted', null, ['restore a']],
    ['given another mode', file('old', 0o755), ['restore a']],
    ['replaced by a link', link('x'), ['restore a']],
    ['replaced by an empty directory', directory(), ['restore a']],
  ])('and that was %s is restored', (_, present, expected) => {
    expect(outcome({ differences: [differs('a', present, file('old'))] })).toEqual(expected);
  });

  it('and that was replaced by a directory is restored, and what lies in the directory deleted', () => {
    const differences = [differs('a', directory(), file('old')), differs('a/new', file('new'), null)];
    expect(outcome({ differences })).toEqual(['restore a', 'delete a/new']);
  });

  it('stays away when a file that no snapshot holds lies in the directory that replaced it', () => {
    const differences = [differs('a', directory(), file('old')), differs('a/new', file('new'), null)];
    expect(outcome({ differences, uncoveredNow: [ignored('a/secret')] })).toEqual([
      'delete a/new',
      'keep a: holds-kept',
      'keep a/secret: ignored',
    ]);
  });

  it.each(['over-size-limit', 'unreadable', 'nested-repository', 'special-file', 'still-changing'] as const)(
    'is not restored over something that the safety snapshot could not hold: %s',
    (reason) => {
      const differences = [differs('a', null, directory()), differs('a/b', null, file('old'))];
      expect(outcome({ differences, uncoveredNow: [{ path: 'a', reason }] })).toEqual([
        `keep a: ${reason}`,
        `keep a/b: ${reason}`,
      ]);
    },
  );

  it('comes back with the directories that it needs', () => {
    const differences = [
      differs('d', null, directory()),
      differs('d/e', null, directory(0o700)),
      differs('d/e/f', null, file('old')),
    ];
    expect(outcome({ differences })).toEqual(['restore d', 'restore d/e', 'restore d/e/f']);
  });

  it('comes back where a file has taken the place of its directory', () => {
    const differences = [differs('d', file('new'), directory()), differs('d/f', null, file('old'))];
    expect(outcome({ differences })).toEqual(['restore d', 'restore d/f']);
  });
});

describe('a path that only the safety snapshot holds', () => {
  it.each([file('new'), link('x'), directory()])('is deleted: %j', (present) => {
    expect(outcome({ differences: [differs('a', present, null)] })).toEqual(['delete a']);
  });

  it.each(['a', 'a/b'])('is kept when it was there at the checkpoint, ignored as %s', (then) => {
    const differences = [differs('a/b', file('new'), null)];
    expect(outcome({ differences, uncoveredThen: [ignored(then)] })).toEqual(['keep a/b: not-covered-then']);
  });

  it('takes along its directory only when nothing else stays in it', () => {
    const differences = [
      differs('d', directory(), null),
      differs('d/e', directory(), null),
      differs('d/e/new', file('new'), null),
      differs('d/x', directory(), null),
    ];
    expect(outcome({ differences, uncoveredNow: [ignored('d/e/secret')] })).toEqual([
      'delete d/e/new',
      'delete d/x',
      'keep d: holds-kept',
      'keep d/e: holds-kept',
      'keep d/e/secret: ignored',
    ]);
  });
});

describe('a path that neither holds', () => {
  it('is kept and named', () => {
    expect(outcome({ uncoveredNow: [ignored('node_modules')], uncoveredThen: [ignored('gone')] })).toEqual([
      'keep node_modules: ignored',
    ]);
  });
});

describe('chosen paths', () => {
  const differences = [
    differs('d', null, directory()),
    differs('d/one', null, file('old')),
    differs('d/two', null, file('old')),
    differs('other', file('new'), file('old')),
  ];

  it('narrow the plan, and bring only the directories that they need', () => {
    expect(outcome({ differences }, { paths: [path('d/one')] })).toEqual(['restore d', 'restore d/one']);
    expect(outcome({ differences }, { paths: [path('d')] })).toEqual([
      'restore d',
      'restore d/one',
      'restore d/two',
    ]);
  });

  it('never replace a parent that was not chosen', () => {
    const blocked = [differs('d', file('new'), directory()), differs('d/one', null, file('old'))];
    expect(outcome({ differences: blocked }, { paths: [path('d/one')] })).toEqual([
      'keep d/one: parent-kept',
    ]);
  });

  it('hide what is kept elsewhere', () => {
    expect(outcome({ differences, uncoveredNow: [ignored('z')] }, { paths: [path('other')] })).toEqual([
      'restore other',
    ]);
  });
});

describe("scope 'change-set'", () => {
  const written = new Map([
    ['tool', 'as-written'],
    ['touched', 'changed-since-written'],
    ['new/file', 'as-written'],
    ['gone/file', 'as-written'],
  ] as const);

  it('restores what the tools left, and names what somebody else wrote', () => {
    const differences = [
      differs('tool', file('new'), file('old')),
      differs('touched', file('user'), file('old')),
      differs('user', file('user'), file('old')),
      differs('user-new', file('user'), null),
    ];
    expect(outcome({ differences }, { written })).toEqual([
      'restore tool',
      'keep touched: changed-since-written',
      'keep user: not-written-by-tools',
      'keep user-new: not-written-by-tools',
    ]);
  });

  it('removes a directory that it emptied, and makes one that it needs', () => {
    const differences = [
      differs('new', directory(), null),
      differs('new/file', file('new'), null),
      differs('empty', directory(), null),
      differs('gone', null, directory()),
      differs('gone/file', null, file('old')),
    ];
    expect(outcome({ differences }, { written })).toEqual([
      'restore gone',
      'restore gone/file',
      'delete new',
      'delete new/file',
      'keep empty: not-written-by-tools',
    ]);
  });

  it("keeps a directory in which a user's file lies", () => {
    const differences = [
      differs('new', directory(), null),
      differs('new/file', file('new'), null),
      differs('new/user', file('user'), null),
    ];
    expect(outcome({ differences }, { written })).toEqual([
      'delete new/file',
      'keep new: holds-kept',
      'keep new/user: not-written-by-tools',
    ]);
  });
});

describe('the fingerprint of a plan', () => {
  const fingerprint = (present: SnapshotEntry | null): string =>
    planRestore({ differences: [differs('a', present, file('old'))], uncoveredNow: [], uncoveredThen: [] })
      .fingerprint;

  it('is the same for the same plan, and another for any other content, mode or kind', () => {
    const seen = [file('new'), file('newer'), file('new', 0o600), link('new'), directory(), null].map(
      fingerprint,
    );
    expect(new Set(seen).size).toBe(seen.length);
    expect(fingerprint(file('new'))).toBe(seen[0]);
  });
});
