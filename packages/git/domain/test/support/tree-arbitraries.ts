import fc from 'fast-check';
import type { FileOfTree, FilesOfTree } from './memory-objects.ts';

const NAMES = ['a', 'b', 'a.c', 'a-', 'd', 'é', '"q"', 'new\nline', '-dash', 'A', '😀', '\uffee'];
const segments = fc.constantFrom(...NAMES);
const paths = fc.array(segments, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const files: fc.Arbitrary<FileOfTree> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('', 'one\n', 'two\n', 'one\ntwo\n', 'no end') },
  {
    weight: 1,
    arbitrary: fc.constantFrom<FileOfTree>(
      { mode: '100755', content: 'one\n' },
      { mode: '120000', content: 'target' },
      { mode: '160000', content: '1'.repeat(40) },
      new Uint8Array([0, 1, 2]),
    ),
  },
);

/** Drops paths that would make one name a file and a directory: first come, first served. */
function withoutOverlaps(pairs: readonly (readonly [string, FileOfTree])[]): FilesOfTree {
  const kept = new Map<string, FileOfTree>();
  for (const [path, file] of pairs) {
    const overlaps = [...kept.keys()].some(
      (other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`),
    );
    if (!overlaps) kept.set(path, file);
  }
  return Object.fromEntries(kept);
}

const fileLists = fc.array(fc.tuple(paths, files), { maxLength: 10 });

/** Small trees with odd names, links, gitlinks and binary files. */
export const someTrees: fc.Arbitrary<FilesOfTree> = fileLists.map(withoutOverlaps);

/** Two trees that share a good part. */
export const treePairs: fc.Arbitrary<readonly [FilesOfTree, FilesOfTree]> = fc
  .tuple(fileLists, fileLists, fileLists)
  .map(([shared, before, after]) => [
    withoutOverlaps([...before, ...shared]),
    withoutOverlaps([...after, ...shared]),
  ]);

const FOLDERS = ['', 'a/', 'b/', 'a/c/', 'a/c/d/'];
const words = fc.constantFrom(
  'alpha',
  'beta',
  'gamma',
  'delta',
  'epsilon',
  '}',
  '',
  '  indented',
  'x'.repeat(90),
);
const longFiles = fc
  .array(words, { minLength: 0, maxLength: 9 })
  .map((lines) => lines.map((line, at) => `${line} ${at % 3}\n`).join(''));
const locations = fc
  .tuple(fc.constantFrom(...FOLDERS), fc.constantFrom('f', 'g', 'h', 'README', 'x.ts'))
  .map(([folder, name]) => folder + name);

/** What may happen to one file on the way from one tree to another. */
const fates = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'stays' as const }) },
  { weight: 4, arbitrary: locations.map((to) => ({ kind: 'moves' as const, to })) },
  {
    weight: 4,
    arbitrary: fc.tuple(locations, words).map(([to, word]) => ({ kind: 'moves' as const, to, word })),
  },
  { weight: 2, arbitrary: words.map((word) => ({ kind: 'edited' as const, word })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'goes' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'executable' as const }) },
);

type Fate = typeof fates extends fc.Arbitrary<infer T> ? T : never;

function applyFate(path: string, content: string, fate: Fate): readonly (readonly [string, FileOfTree])[] {
  switch (fate.kind) {
    case 'stays':
      return [[path, content]];
    case 'moves':
      return [[fate.to, 'word' in fate ? `${content}${fate.word}\n` : content]];
    case 'edited':
      return [[path, `${fate.word}\n${content}`]];
    case 'goes':
      return [];
    case 'executable':
      return [[path, { mode: '100755', content }]];
  }
}

const startingFiles = fc.uniqueArray(fc.tuple(locations, longFiles), {
  selector: ([path]) => path,
  minLength: 1,
  maxLength: 7,
});

/** A tree of texts, and one in which files were moved, edited, removed and made executable. */
export const renamedTrees: fc.Arbitrary<readonly [FilesOfTree, FilesOfTree]> = startingFiles.chain((start) =>
  fc
    .array(fates, { minLength: start.length, maxLength: start.length })
    .map((chosen) => [
      withoutOverlaps(start),
      withoutOverlaps(start.flatMap(([path, content], at) => applyFate(path, content, chosen[at] as Fate))),
    ]),
);

const additions = fc.array(fc.tuple(locations, longFiles), { maxLength: 2 });

/** A tree of texts and two that were made of it, each with moves, edits, removals and additions of its own. */
export const divergedTrees: fc.Arbitrary<readonly [FilesOfTree, FilesOfTree, FilesOfTree]> =
  startingFiles.chain((start) => {
    const side = fc
      .tuple(fc.array(fates, { minLength: start.length, maxLength: start.length }), additions)
      .map(([chosen, added]) =>
        withoutOverlaps([
          ...start.flatMap(([path, content], at) => applyFate(path, content, chosen[at] as Fate)),
          ...added,
        ]),
      );
    return fc.tuple(fc.constant(withoutOverlaps(start)), side, side);
  });

/** Three small trees with odd names, links, gitlinks and binary files, that share a part. */
export const oddTriples: fc.Arbitrary<readonly [FilesOfTree, FilesOfTree, FilesOfTree]> = fc
  .tuple(fileLists, fileLists, fileLists, fileLists)
  .map(([shared, base, ours, theirs]) => [
    withoutOverlaps([...base, ...shared]),
    withoutOverlaps([...ours, ...shared]),
    withoutOverlaps([...theirs, ...shared]),
  ]);
