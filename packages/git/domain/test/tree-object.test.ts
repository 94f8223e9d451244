import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasCode } from '@cleveragents/shared-kernel';
import fc from 'fast-check';
import {
  compareTreeEntries,
  comparePaths,
  decodeTree,
  encodeTree,
  faultOfName,
  type ObjectId,
  parseObjectId,
  type TreeEntry,
} from '../src/index.ts';
import { MemoryObjects } from './support/memory-objects.ts';
import { RealRepository } from './support/real-git.ts';

const ID = parseObjectId('1'.repeat(40));
const file = (name: string): TreeEntry => ({ name, mode: '100644', id: ID });
const names = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.string({ unit: fc.constantFrom(...'ab.-/ \uffff😀'), maxLength: 4 }),
  )
  .filter((name) => faultOfName(name) === null);
const trees = fc.uniqueArray(
  fc.record({
    name: names,
    mode: fc.constantFrom<TreeEntry['mode']>('040000', '100644', '100755', '120000', '160000'),
    id: fc
      .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 40, maxLength: 40 })
      .map(parseObjectId),
  }),
  { selector: ({ name }) => name, maxLength: 12 },
);
const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (hasCode(error, 'GIT_PATH_REFUSED', 'GIT_TREE_CORRUPT', 'GIT_PATH_NOT_UTF8')) return error.code;
    throw error;
  }
  return 'accepted';
};

describe('the bytes of a tree object', () => {
  let repository: RealRepository;
  beforeAll(() => void (repository = new RealRepository()));
  afterAll(() => repository.remove());

  it('are those that git writes, whatever the order the entries come in', () => {
    const objects = new MemoryObjects();
    fc.assert(
      fc.property(trees, (entries) => {
        const lines = entries.map(({ name, mode, id }) => {
          const type = { '040000': 'tree', '160000': 'commit' }[mode as string] ?? 'blob';
          return `${mode} ${type} ${id}\t${name}\0`;
        });
        const written = repository.text(['mktree', '-z', '--missing'], lines.join(''));
        expect(objects.put('tree', encodeTree(entries))).toBe(written);
      }),
      { numRuns: 60 },
    );
  });

  it('come back as the same entries in git’s order', () => {
    fc.assert(
      fc.property(trees, (entries) => {
        expect(decodeTree(encodeTree(entries))).toEqual([...entries].sort(compareTreeEntries));
      }),
    );
  });

  it('put a directory where its name with a slash would stand', () => {
    const entries: TreeEntry[] = [file('a-b'), { ...file('a'), mode: '040000' }, file('a.c'), file('a0')];
    expect(decodeTree(encodeTree(entries)).map(({ name }) => name)).toEqual(['a-b', 'a.c', 'a', 'a0']);
  });

  it.each([
    '',
    '.',
    '..',
    '.git',
    '.GIT',
    'a/b',
    'a\0b',
    'git~1',
    '.git ',
    '.git.',
    '.git::$INDEX',
    '.g\u200cit',
    'x\\.git',
    '\ud800',
  ])('never hold the name %j', (name) => {
    expect(codeOf(() => encodeTree([file(name)]))).toBe('GIT_PATH_REFUSED');
  });

  it.each(['.gitignore', '.gita', 'git', 'git~2', 'a\\b', '...', '-', 'ä', '\ufeffa', '.gi'])(
    'may hold the name %j',
    (name) => {
      expect(decodeTree(encodeTree([file(name)]))).toEqual([file(name)]);
    },
  );

  it('never hold a name twice, an unknown mode or something that is no id', () => {
    expect(codeOf(() => encodeTree([file('a'), { ...file('a'), mode: '040000' }]))).toBe('GIT_TREE_CORRUPT');
    expect(codeOf(() => encodeTree([{ ...file('a'), mode: '100664' as '100644' }]))).toBe('GIT_TREE_CORRUPT');
    expect(codeOf(() => encodeTree([{ ...file('a'), id: 'abc' as ObjectId }]))).toBe('GIT_TREE_CORRUPT');
  });

  it('are refused when cut, out of order, or not UTF-8', () => {
    const bytes = encodeTree([file('a'), file('b')]);
    const half = bytes.length / 2;
    const swapped = Buffer.concat([bytes.subarray(half), bytes.subarray(0, half)]);
    const raw = Buffer.concat([Buffer.from('100644 '), Buffer.from([0xff, 0]), Buffer.alloc(20)]);
    expect(codeOf(() => decodeTree(bytes.subarray(0, -1)))).toBe('GIT_TREE_CORRUPT');
    expect(codeOf(() => decodeTree(swapped))).toBe('GIT_TREE_CORRUPT');
    expect(codeOf(() => decodeTree(raw))).toBe('GIT_PATH_NOT_UTF8');
  });

  it('are read with the modes that old versions of git wrote', () => {
    const raw = Buffer.concat([Buffer.from('100664 a\0'), Buffer.alloc(20, 0x11)]);
    expect(decodeTree(raw)).toEqual([file('a')]);
  });
});

describe('the order of paths', () => {
  it('is that of their UTF-8 bytes', () => {
    const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed());
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(comparePaths(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
    expect(comparePaths('\uffff', '😀')).toBeLessThan(0);
  });
});

describe('trees of a repository with SHA-256', () => {
  const entries = [
    { name: 'a', mode: '100644', id: parseObjectId('ab'.repeat(32)) },
    { name: 'b', mode: '040000', id: parseObjectId('cd'.repeat(32)) },
  ] as const;

  it('come back from their bytes', () => {
    expect(decodeTree(encodeTree(entries), 32)).toEqual(entries);
  });

  it('hold no id of SHA-1', () => {
    const mixed = [...entries, { name: 'c', mode: '100644', id: parseObjectId('ab'.repeat(20)) }] as const;
    expect(() => encodeTree(mixed)).toThrow('is no object id');
  });
});
