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
