import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';

export interface ProjectFile {
  readonly kind: 'file' | 'executable' | 'link';
  readonly content: string;
}

/** Files by path. */
export type ProjectTree = Readonly<Record<string, ProjectFile>>;

/** Names that other tools quote, that sort oddly, and that are a file here and a directory there. */
const PATHS = [
  'a.txt',
  'b.txt',
  'dir/x.txt',
  'dir/y.txt',
  'dir/sub/z.txt',
  'dir',
  'dir.txt',
  'große Datei.txt',
  'q"uote\\d',
  'sub/deep/er/file',
  'sub',
];

const content = fc
  .array(fc.constantFrom('one', 'two', 'three', 'four\r', '', '\tfive'), { maxLength: 6 })
  .map((lines) => lines.map((line) => `${line}\n`).join(''));
const file: fc.Arbitrary<ProjectFile> = fc.record({
  kind: fc.constantFrom('file', 'file', 'file', 'executable', 'link'),
  content,
});

function withoutClashes(files: ReadonlyMap<string, ProjectFile>): ProjectTree {
  const kept = new Map<string, ProjectFile>();
  for (const [path, one] of files)
    if (![...kept.keys()].some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`)))
      kept.set(path, one.kind === 'link' ? { ...one, content: `to ${one.content.length.toString()}` } : one);
  return Object.fromEntries(kept);
}

export const projectTree: fc.Arbitrary<ProjectTree> = fc
  .array(fc.tuple(fc.constantFrom(...PATHS), file), { minLength: 1, maxLength: 9 })
  .map((pairs) => withoutClashes(new Map(pairs)));

/** The tree with a few paths changed, gone or new. */
export function changed(tree: ProjectTree): fc.Arbitrary<ProjectTree> {
  const change = fc.tuple(fc.constantFrom(...PATHS), fc.option(file));
  return fc.array(change, { maxLength: 4 }).map((changes) => {
    const files = new Map<string, ProjectFile>();
    for (const [path, one] of changes) if (one !== null) files.set(path, one);
    const touched = new Set(changes.map(([path]) => path));
    for (const [path, one] of Object.entries(tree)) if (!touched.has(path)) files.set(path, one);
    return withoutClashes(files);
  });
}

/** Makes the files of a folder those of the tree; what is the same is not written again. */
export function layOut(folder: string, tree: ProjectTree): void {
  for (const name of readdirSync(folder))
    if (name !== '.git') rmSync(join(folder, name), { recursive: true, force: true });
  for (const [path, one] of Object.entries(tree)) put(folder, path, one);
}

export function put(folder: string, path: string, { kind, content: text }: ProjectFile): void {
  const address = join(folder, path);
  const segments = dirname(path).split('/');
  for (let depth = 1; depth <= segments.length; depth++) {
    const parent = join(folder, ...segments.slice(0, depth));
    const stat = lstatSync(parent, { throwIfNoEntry: false });
    if (stat !== undefined && !stat.isDirectory()) rmSync(parent);
  }
  mkdirSync(dirname(address), { recursive: true });
  rmSync(address, { recursive: true, force: true });
  if (kind === 'link') symlinkSync(text, address);
  else {
    writeFileSync(address, text);
    chmodSync(address, kind === 'executable' ? 0o755 : 0o644);
  }
}
