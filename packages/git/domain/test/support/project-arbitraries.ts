import fc from 'fast-check';
import type { FilesOfTree } from './memory-objects.ts';

type Files = ReadonlyMap<string, string>;

const FOLDERS = ['src', 'src/core', 'src/view', 'docs', 'test/unit', ''];
const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

const fileContents = fc
  .tuple(fc.nat(40), fc.integer({ min: 12, max: 40 }))
  .map(([seed, size]) =>
    Array.from({ length: size }, (_, at) =>
      at % 7 === 6
        ? '\n'
        : `${'  '.repeat(at % 3)}line ${at % 5} of ${seed}, ${(seed * 31 + at * 17) % 11}\n`,
    ).join(''),
  );
const projects: fc.Arbitrary<Files> = fc
  .uniqueArray(
    fc.tuple(
      fc.constantFrom(...FOLDERS),
      fc.constantFrom('a.ts', 'b.ts', 'c.ts', 'index.ts', 'README'),
      fileContents,
    ),
    {
      selector: ([folder, name]) => inFolder(folder, name),
      minLength: 6,
      maxLength: 18,
    },
  )
  .map((files) => new Map(files.map(([folder, name, content]) => [inFolder(folder, name), content])));

/** A step of work, told by numbers so that it fits any project. */
const steps = fc.record({
  kind: fc.constantFrom(
    'edit',
    'edit',
    'edit',
    'insert',
    'remove lines',
    'move',
    'rename',
    'delete',
    'add',
    'move folder',
    'copy',
  ),
  file: fc.nat(),
  at: fc.nat(),
  folder: fc.constantFrom(...FOLDERS, 'lib', 'src/core/deep'),
  word: fc.constantFrom('one', 'two', 'three', 'four', 'five', 'six'),
});
type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

function perform(files: Files, { kind, file, at, folder, word }: Step): Files {
  const paths = [...files.keys()];
  const path = paths[file % Math.max(paths.length, 1)];
  if (path === undefined) return files;
  const content = files.get(path) ?? '';
  const next = new Map(files);
  const lines = content.split('\n');
  const line = at % lines.length;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const put = (target: string, text: string): void => void (next.has(target) ? null : next.set(target, text));
  const edited = (index: number, remove: number, ...insert: string[]): string =>
    lines.toSpliced(index, remove, ...insert).join('\n');
  if (kind === 'edit') next.set(path, edited(line, 1, `edited ${word}`));
  if (kind === 'insert') next.set(path, edited(line, 0, `inserted ${word}`));
  if (kind === 'remove lines') next.set(path, edited(line, 2));
  if (kind === 'delete') next.delete(path);
  if (kind === 'add') put(inFolder(folder, `${word}.ts`), `new ${word}\n${content.slice(0, 60)}`);
  if (kind === 'copy') put(inFolder(folder, name), content);
  if ((kind === 'move' || kind === 'rename') && next.delete(path))
    put(
      kind === 'move' ? inFolder(folder, name) : inFolder(path.slice(0, -name.length - 1), `${word}.ts`),
      edited(line, 1, `moved ${word}`),
    );
  if (kind === 'move folder') {
    const from = path.slice(0, -name.length);
    for (const other of paths.filter((each) => each.startsWith(from))) {
      next.delete(other);
      put(inFolder(folder, other.slice(from.length)), files.get(other) ?? '');
    }
  }
  return next;
}

const asTree = (files: Files): FilesOfTree => {
  const kept = [...files].filter(
    ([path]) => ![...files.keys()].some((other) => other.startsWith(`${path}/`)),
  );
  return Object.fromEntries(kept);
};
const work = (max: number): fc.Arbitrary<readonly Step[]> =>
  fc.array(steps, { minLength: 1, maxLength: max });
const after = (files: Files, done: readonly Step[]): Files => done.reduce(perform, files);

/** A project and what two people made of it. */
export const projectBranches: fc.Arbitrary<readonly [FilesOfTree, FilesOfTree, FilesOfTree]> = fc
  .tuple(projects, work(4), work(4))
  .map(([start, ours, theirs]) => [asTree(start), asTree(after(start, ours)), asTree(after(start, theirs))]);

/**
 * A project, two branches of it, and those two after each was merged into the other, with work of their own on top: trees
 * for a criss-cross history.
 */
export const crissCross: fc.Arbitrary<
  readonly [FilesOfTree, FilesOfTree, FilesOfTree, FilesOfTree, FilesOfTree]
> = fc.tuple(projects, work(3), work(3), work(3), work(3)).map(([start, one, two, three, four]) => {
  const [a, b] = [after(start, one), after(start, two)];
  const merged = after(a, two);
  return [asTree(start), asTree(a), asTree(b), asTree(after(merged, three)), asTree(after(merged, four))];
});
