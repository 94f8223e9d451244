import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hasCode } from '@cleveragents/shared-kernel';
import fc from 'fast-check';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cacheTreeOf,
  type GitFormatErrorCode,
  type IndexEntry,
  type IndexPatch,
  indexStatOf,
  type IndexView,
  invalidateCacheTree,
  parseObjectId,
  patchIndex,
  readCacheTree,
  readIndex,
  writeIndex,
} from '../src/index.ts';
import { MemoryObjects, sha1 } from './support/memory-objects.ts';
import { RealRepository } from './support/real-git.ts';
import { someTrees } from './support/tree-arbitraries.ts';

const CODES: readonly GitFormatErrorCode[] = [
  'GIT_INDEX_CORRUPT',
  'GIT_INDEX_VERSION_UNSUPPORTED',
  'GIT_INDEX_SPLIT',
  'GIT_INDEX_SPARSE',
  'GIT_INDEX_EXTENSION_UNSUPPORTED',
  'GIT_INDEX_PATH_CONFLICT',
  'GIT_PATH_REFUSED',
  'GIT_PATH_NOT_UTF8',
];
const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (hasCode(error, ...CODES)) return error.code;
    throw error;
  }
  return 'accepted';
};
const ID = parseObjectId('1'.repeat(40));
const entry = (path: string, more: Partial<IndexEntry> = {}): IndexEntry => ({
  path,
  mode: '100644',
  id: ID,
  ...more,
});
const paths = (view: IndexView): readonly string[] =>
  Array.from({ length: view.entryCount }, (_, at) => `${view.stage(at)} ${view.path(at)}`);

let repository: RealRepository;
beforeEach(() => void (repository = new RealRepository()));
afterEach(() => repository.remove());

const indexFile = (): Buffer => readFileSync(join(repository.folder, '.git/index'));
const putIndex = (bytes: Uint8Array): void => void repository.write('.git/index', bytes);
const listed = (): string => repository.git(['ls-files', '--stage', '--debug', '-v', '-z']).toString();
const staged = (): string => repository.git(['ls-files', '--stage', '-z']).toString();

/** What `git ls-files --stage -z` prints of these. */
const asGitPrints = (view: IndexView): string =>
  Array.from(
    { length: view.entryCount },
    (_, at) => `${view.mode(at)} ${view.idHex(at)} ${view.stage(at)}\t${view.path(at)}\0`,
  ).join('');

describe('reading an index that git wrote', () => {
  it('finds each entry with its id, mode, stage and stat', () => {
    const file = repository.write('dir/a b', 'content');
    repository.write('run', '#!');
    repository.git(['add', '.']);
    repository.git(['update-index', '--chmod=+x', 'run']);
    const view = readIndex(indexFile(), { sha1 });
    expect(asGitPrints(view)).toBe(staged());
    expect(view.stat(view.find('dir/a b'))).toEqual(indexStatOf(lstatSync(file, { bigint: true })));
    expect(view.find('dir')).toBe(-1);
    expect(view.find('run', 2)).toBe(-1);
  });

  it('finds the flags and reports version 3 when there are any', () => {
    for (const path of ['assumed', 'new', 'plain', 'skipped']) repository.write(path, path);
    repository.git(['add', 'assumed', 'plain', 'skipped']);
    repository.git(['update-index', '--assume-unchanged', 'assumed']);
    repository.git(['update-index', '--skip-worktree', 'skipped']);
    repository.git(['add', '--intent-to-add', 'new']);
    const view = readIndex(indexFile(), { sha1 });
    const flags = (at: number): readonly boolean[] => [
      view.isAssumedValid(at),
      view.skipsWorktree(at),
      view.isIntentToAdd(at),
    ];
    expect(view.version).toBe(3);
    expect([0, 1, 2, 3].map(flags)).toEqual([
      [true, false, false],
      [false, false, true],
      [false, false, false],
      [false, true, false],
    ]);
  });

  it('finds all stages of a path in conflict', () => {
    const lines = [1, 2, 3].map((stage) => `100644 ${ID} ${stage}\tdir/x\0`);
    repository.git(['update-index', '-z', '--index-info'], lines.join(''));
    const view = readIndex(indexFile(), { sha1 });
    expect(paths(view)).toEqual(['1 dir/x', '2 dir/x', '3 dir/x']);
    expect(view.find('dir/x', 2)).toBe(1);
    expect(view.find('dir/x')).toBe(-1);
  });

  it('reads paths longer than the length field holds', () => {
    const path = Array.from({ length: 60 }, () => 'x'.repeat(100)).join('/');
    repository.git(['update-index', '-z', '--index-info'], `100644 ${ID} 0\t${path}\0`);
    expect(paths(readIndex(indexFile(), { sha1 }))).toEqual([`0 ${path}`]);
  });
});

describe('an index that we cannot take', () => {
  beforeEach(() => {
    repository.write('a', 'a');
    repository.write('d/b', 'b');
    repository.git(['add', '.']);
    repository.git(['commit', '--quiet', '-m', 'x']);
  });

  it('of version 4 is refused, with the version', () => {
    repository.git(['update-index', '--index-version', '4']);
    expect(codeOf(() => readIndex(indexFile()))).toBe('GIT_INDEX_VERSION_UNSUPPORTED');
  });

  it('split in two is refused', () => {
    repository.git(['update-index', '--split-index']);
    expect(codeOf(() => readIndex(indexFile()))).toBe('GIT_INDEX_SPLIT');
  });

  it('with whole directories as entries is refused', () => {
    repository.git(['sparse-checkout', 'set', '--cone', '--sparse-index', 'nowhere']);
    expect(codeOf(() => readIndex(indexFile()))).toBe('GIT_INDEX_SPARSE');
  });

  it('with an unknown part that must be understood is refused; one that may be ignored is fine', () => {
    const withExtension = (signature: string): Uint8Array => {
      const content = indexFile().subarray(0, -20);
      const whole = Buffer.concat([content, Buffer.from(signature), Buffer.from([0, 0, 0, 1, 7])]);
      return Buffer.concat([whole, sha1([whole])]);
    };
    expect(codeOf(() => readIndex(withExtension('zzzz'), { sha1 }))).toBe('GIT_INDEX_EXTENSION_UNSUPPORTED');
    expect(codeOf(() => readIndex(withExtension('ZZZZ'), { sha1 }))).toBe('accepted');
  });

  it('is refused as damaged wherever a byte changed or the end is missing', () => {
    const bytes = indexFile();
    for (let at = 0; at < bytes.length - 20; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 0x41;
      expect(codeOf(() => readIndex(changed, { sha1 }))).not.toBe('accepted');
      expect(codeOf(() => readIndex(bytes.subarray(0, at), { sha1 }))).not.toBe('accepted');
    }
  });

  it('may have a trailer of zeros, as index.skipHash writes', () => {
    const bytes = Buffer.concat([indexFile().subarray(0, -20), Buffer.alloc(20)]);
    expect(codeOf(() => readIndex(bytes, { sha1 }))).toBe('accepted');
  });

  it('never fails in another way than with a code, whatever the bytes', () => {
    const base = indexFile();
    fc.assert(
      fc.property(fc.nat(base.length - 1), fc.uint8Array({ maxLength: 8 }), (at, noise) => {
        const bytes = Buffer.from(base);
        bytes.set(noise.subarray(0, bytes.length - at), at);
        codeOf(() => readCacheTree(readIndex(bytes)));
      }),
      { numRuns: 500 },
    );
  });
});

const NAMES = ['a', 'a.c', 'a/b', 'a/é', 'b', 'd/e/f', 'd/e/g', 'd/h', 'z', 'ab/c', 'x'.repeat(4100)];
const entries: fc.Arbitrary<IndexEntry> = fc.record({
  path: fc.constantFrom(...NAMES.filter((name) => name !== 'a')),
  mode: fc.constantFrom<IndexEntry['mode']>('100644', '100755', '120000', '160000'),
  id: fc.constantFrom(ID, parseObjectId('2'.repeat(40))),
  assumeValid: fc.boolean(),
  skipWorktree: fc.boolean(),
  stage: fc.constantFrom<0 | 1 | 2 | 3>(0, 0, 0, 1, 2, 3),
  stat: fc.record({
    ctimeSeconds: fc.nat(),
    ctimeNanoseconds: fc.nat(999_999_999),
    mtimeSeconds: fc.nat(),
    mtimeNanoseconds: fc.nat(999_999_999),
    dev: fc.nat(),
    ino: fc.nat(),
    uid: fc.nat(),
    gid: fc.nat(),
    size: fc.nat(),
  }),
});
/** No path both merged and in conflict, no stage twice. */
const consistent = (list: readonly IndexEntry[]): readonly IndexEntry[] => {
  const kept = new Map<string, IndexEntry>();
  for (const one of list) {
    const isMerged = (one.stage ?? 0) === 0;
    const clash = [...kept.values()].some(
      (other) => other.path === one.path && (isMerged || (other.stage ?? 0) === 0),
    );
    if (!clash) kept.set(`${one.path}\0${one.stage}`, one);
  }
  return [...kept.values()];
};
const entryLists = fc.array(entries, { maxLength: 8 }).map(consistent);

describe('writing an index', () => {
  it('git reads back what was written, and so do we', () => {
    fc.assert(
      fc.property(entryLists, (list) => {
        const bytes = writeIndex(list, sha1);
        putIndex(bytes);
        const view = readIndex(bytes, { sha1 });
        expect(asGitPrints(view)).toBe(staged());
        const read = Array.from({ length: view.entryCount }, (_, at) => view.entry(at));
        const key = ({ path, stage }: IndexEntry): string => `${path} ${stage}`;
        const byKey = (list: readonly IndexEntry[]): object =>
          Object.fromEntries(list.map((one) => [key(one), { intentToAdd: false, ...one }]));
        expect(byKey(read)).toEqual(byKey(list));
      }),
      { numRuns: 40 },
    );
  });

  it('changes what the patch names and keeps every other entry bit for bit, as git would list it', () => {
    const patches = fc.tuple(entryLists, fc.array(fc.constantFrom(...NAMES), { maxLength: 3 }));
    fc.assert(
      fc.property(entryLists, patches, (before, [set, remove]) => {
        const view = readIndex(writeIndex(before, sha1));
        const view2 = readIndex(patchIndex(view, { set, remove }, sha1), { sha1 });
        const kept = before.filter(
          ({ path, stage }) =>
            !remove.includes(path) &&
            !set.some(
              (other) =>
                other.path === path && ((other.stage ?? 0) === 0 || stage === 0 || other.stage === stage),
            ),
        );
        expect(Buffer.compare(view2.bytes, writeIndex([...kept, ...set], sha1))).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it('with nothing to change gives the same entries and a right checksum', () => {
    repository.write('a', 'a');
    repository.git(['add', '.']);
    const before = listed();
    const view = readIndex(indexFile());
    const bytes = patchIndex(view, {}, sha1);
    putIndex(bytes);
    expect(listed()).toBe(before);
    expect(readIndex(bytes, { sha1 }).entryCount).toBe(1);
  });

  it.each<readonly [string, IndexPatch]>([
    ['a file where a directory is', { set: [entry('d')] }],
    ['a directory where a file is', { set: [entry('a/x/y')] }],
    ['both at once', { set: [entry('n'), entry('n/m')] }],
    ['one path twice', { set: [entry('n'), entry('n')] }],
    ['one path merged and in conflict', { set: [entry('n'), entry('n', { stage: 2 })] }],
  ])('refuses %s', (_, patch) => {
    const view = readIndex(writeIndex([entry('a'), entry('d/b'), entry('d.c')], sha1));
    expect(codeOf(() => patchIndex(view, patch, sha1))).toBe('GIT_INDEX_PATH_CONFLICT');
  });

  it('takes a file for a directory when the patch removes what was below', () => {
    const view = readIndex(writeIndex([entry('d/b')], sha1));
    expect(paths(readIndex(patchIndex(view, { set: [entry('d')], remove: ['d/b'] }, sha1)))).toEqual(['0 d']);
  });

  it.each(['', '/a', 'a/', 'a//b', '../a', 'a/.git/b', 'a\0'])('refuses the path %j', (path) => {
    expect(codeOf(() => writeIndex([entry(path)], sha1))).toBe('GIT_PATH_REFUSED');
  });

  it('drops what describes the entries, and keeps how conflicts were resolved', () => {
    const lines = [1, 2, 3].map((stage) => `100644 ${ID} ${stage}\tx\0`);
    repository.git(['update-index', '-z', '--index-info'], lines.join(''));
    repository.write('x', 'x');
    repository.write('y', 'y');
    repository.git(['add', 'x', 'y']);
    repository.git(['update-index', '--untracked-cache']);
    repository.git(['status']);
    repository.git(['write-tree']);
    const view = readIndex(indexFile());
    const signatures = (bytes: Uint8Array): string[] =>
      readIndex(bytes, { sha1 }).extensions.map(({ signature }) => signature);
    expect(signatures(indexFile())).toEqual(expect.arrayContaining(['TREE', 'REUC', 'UNTR']));
    expect(signatures(patchIndex(view, {}, sha1))).toEqual(['REUC']);
    expect(signatures(patchIndex(view, { keepExtensions: ['TREE', 'UNTR'] }, sha1)).sort()).toEqual([
      'REUC',
      'TREE',
      'UNTR',
    ]);
  });
});

describe('the stat facts of an index', () => {
  it('let git see at a glance that nothing changed; a smudged entry is read again', () => {
    const file = repository.write('a', 'content');
    const past = '2001-01-01T00:00:00Z';
    repository.git(['-c', 'core.trustctime=false', 'add', 'a']);
    const id = parseObjectId(repository.text(['hash-object', 'a']));
    const stat = indexStatOf(lstatSync(file, { bigint: true }));
    putIndex(writeIndex([entry('a', { id, stat })], sha1));
    expect(repository.text(['diff-files'])).toBe('');
    const view = readIndex(indexFile());
    view.smudge(0);
    expect(view.stat(0)).toEqual({ ...stat, size: 0 });
    view.setStat(0, { ...stat, mtimeSeconds: Date.parse(past) / 1000 });
    putIndex(patchIndex(view, {}, sha1));
    expect(repository.text(['diff-files'])).toContain('M\ta');
    expect(repository.text(['status', '--porcelain'])).toBe('A  a');
  });

  it('are cut to 32 bits, and right before 1970', () => {
    const big = {
      ctimeNs: -1n,
      mtimeNs: (2n ** 32n + 5n) * 10n ** 9n + 7n,
      dev: 2n ** 40n + 1n,
      ino: 2n ** 33n,
      uid: 0n,
      gid: 1n,
      size: 2n ** 32n,
    };
    expect(indexStatOf(big)).toEqual({
      ctimeSeconds: 0xffffffff,
      ctimeNanoseconds: 999_999_999,
      mtimeSeconds: 5,
      mtimeNanoseconds: 7,
      dev: 1,
      ino: 0,
      uid: 0,
      gid: 1,
      size: 0,
    });
  });
});

describe('the cache tree', () => {
  it('of a tree is what git writes for an index of that tree', async () => {
    const objects = new MemoryObjects();
    await fc.assert(
      fc.asyncProperty(someTrees, async (files) => {
        const tree = objects.putTree(files);
        objects.exportTo(repository);
        repository.git(['read-tree', tree]);
        const view = readIndex(indexFile());
        const expected = view.extension('TREE');
        const patched = readIndex(patchIndex(view, { cacheTree: await cacheTreeOf(objects, tree) }, sha1), {
          sha1,
        });
        const written = patched.extension('TREE');
        const content = (of: IndexView, part: typeof written): string =>
          part === null ? '' : Buffer.from(of.bytes.subarray(part.start, part.end)).toString('latin1');
        expect(content(patched, written)).toBe(content(view, expected));
      }),
      { numRuns: 15 },
    );
  });

  it('after a change still lets git write the right tree', async () => {
    const objects = new MemoryObjects();
    const tree = objects.putTree({ 'd/e/a': 'a', 'd/b': 'b', 'f/c': 'c', 'g/h': 'h' });
    objects.exportTo(repository);
    repository.git(['read-tree', tree]);
    const view = readIndex(indexFile());
    const cached = readCacheTree(view);
    if (cached === null) throw new Error('git wrote no cache tree');
    const { id } = objects.putFile('a');
    const patch = { set: [entry('d/e/n', { id }), entry('g', { id })], remove: ['g/h'] };
    const cacheTree = invalidateCacheTree(cached, ['d/e/n', 'g', 'g/h']);
    putIndex(patchIndex(view, { ...patch, cacheTree }, sha1));
    const known = (name: string): string | null | undefined =>
      cacheTree.children.find((child) => child.name === name)?.id;
    expect([known('d'), known('g'), known('f')]).toEqual([null, undefined, objects.putTree({ c: 'c' })]);
    const expected = objects.putTree({ 'd/e/a': 'a', 'd/e/n': 'a', 'd/b': 'b', 'f/c': 'c', g: 'a' });
    expect(repository.text(['write-tree'])).toBe(expected);
    expect(repository.run(['fsck', '--strict']).status).toBe(0);
  });
});
