import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ChangeEntry, FileState } from '@cleveragents/file-tools-domain';
import {
  changeEntry,
  fromStoredEntry,
  netChanges,
  storedChangeEntrySchema,
  summarise,
  toStoredEntry,
  unattributedChanges,
} from '@cleveragents/file-tools-domain';

const CALL = { toolName: 'builtin/file-write', at: '2026-01-02T03:04:05.000Z' };
const state = (content: string, mode = 0o644): FileState => ({
  hash: content.padEnd(64, '0'),
  mode,
  size: content.length,
});

function entry(path: string, before?: FileState, after?: FileState): ChangeEntry {
  const made = changeEntry(path, before, after, CALL);
  if (made === undefined) throw new Error('Nothing has changed');
  return made;
}

const shown = (entries: readonly ChangeEntry[]): readonly string[] =>
  entries.map(({ path, operation, beforeHash, afterHash }) =>
    [operation, path, beforeHash?.replace(/0+$/, '') ?? '-', afterHash?.replace(/0+$/, '') ?? '-'].join(' '),
  );

describe('what a log of changes comes to', () => {
  it.each<[string, readonly ChangeEntry[], readonly string[]]>([
    ['nothing', [], []],
    ['created and deleted', [entry('a', undefined, state('1')), entry('a', state('1'))], []],
    ['changed back', [entry('a', state('1'), state('2')), entry('a', state('2'), state('1'))], []],
    [
      'created and changed',
      [entry('a', undefined, state('1')), entry('a', state('1'), state('2'))],
      ['create a - 2'],
    ],
    ['deleted and made anew', [entry('a', state('1')), entry('a', undefined, state('2'))], ['modify a 1 2']],
    ['deleted and restored', [entry('a', state('1')), entry('a', undefined, state('1'))], []],
    ['changed and deleted', [entry('a', state('1'), state('2')), entry('a', state('2'))], ['delete a 1 -']],
    ['of mode only', [entry('a', state('1'), state('1', 0o755))], ['modify a 1 1']],
    [
      'in any order',
      [entry('b', undefined, state('1')), entry('a', undefined, state('1'))],
      ['create a - 1', 'create b - 1'],
    ],
  ])('%s', (_, entries, expected) => {
    expect(shown(netChanges(entries))).toEqual(expected);
  });

  it('takes the change of a file too large to hash for one', () => {
    const large = { hash: null, mode: 0o644, size: 1e12 };
    expect(netChanges([entry('a', large, large)])).toHaveLength(1);
  });

  it('is the difference between the first state and the last, whatever lay between', () => {
    const states = fc.constantFrom(undefined, state('1'), state('2'), state('2', 0o755));
    const histories = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.array(states, { minLength: 2, maxLength: 8 }),
    );
    fc.assert(
      fc.property(histories, (history) => {
        const log = Object.entries(history).flatMap(([path, steps]) =>
          steps.slice(1).flatMap((after, index) => changeEntry(path, steps[index], after, CALL) ?? []),
        );
        const expected = Object.entries(history)
          .sort(([one], [other]) => (one < other ? -1 : 1))
          .flatMap(([path, steps]) => changeEntry(path, steps[0], steps.at(-1), CALL) ?? []);
        expect(netChanges(log)).toEqual(expected);
        expect(netChanges(netChanges(log))).toEqual(expected);
      }),
    );
  });
});

describe('a log of changes', () => {
  it('sums up in a line', () => {
    expect(summarise([])).toBe('No changes recorded');
    expect(summarise([entry('a', undefined, state('1'))])).toBe('1 change recorded: 1 create');
    expect(summarise([entry('a', undefined, state('1')), entry('a', state('1'))])).toBe(
      '2 changes recorded: 1 create, 1 delete',
    );
  });

  it('is stored and read back', () => {
    const made = entry('a', state('1'), state('2'));
    const stored = toStoredEntry(made);
    expect(Object.keys(stored)).toContain('before_hash');
    expect(fromStoredEntry(storedChangeEntrySchema.parse(JSON.parse(JSON.stringify(stored))))).toEqual(made);
  });

  it('leaves over what it does not explain', () => {
    const log = [
      entry('explained', undefined, state('1')),
      entry('altered', state('1'), state('2')),
      entry('undone', state('1'), state('2')),
      entry('removed', state('1')),
    ];
    const tree = [
      { path: 'explained', hash: state('1').hash },
      { path: 'altered', hash: state('3').hash },
      { path: 'removed', hash: null },
      { path: 'by-shell', hash: state('9').hash },
    ];
    expect(unattributedChanges(log, tree)).toEqual([
      { path: 'altered', kind: 'altered' },
      { path: 'by-shell', kind: 'unrecorded' },
      { path: 'undone', kind: 'undone' },
    ]);
  });
});
