import type { Uncovered, UncoveredReason } from '@cleveragents/checkpoint-domain';
import type { ObjectId } from '@cleveragents/git-domain';
import type { ObjectDatabase } from '../objects/object-database.ts';
import { encodeTree, type TreeMember } from '../objects/tree-codec.ts';

/** What was last seen of a file or link, and which blob holds it. */
export interface KnownFile {
  readonly kind: 'file' | 'link';
  /** Permission bits; 0 for a link. */
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly inode: number;
  readonly blob: ObjectId;
  /** It changed so shortly before it was read that a later change may have left the same times. */
  readonly isRacy: boolean;
}

export interface KnownDirectory {
  readonly name: string;
  readonly path: string;
  readonly parent: KnownDirectory | null;
  mode: number;
  readonly files: Map<string, KnownFile>;
  readonly directories: Map<string, KnownDirectory>;
  /** `null`: something below changed since it was computed. */
  tree: ObjectId | null;
  /** What this process last found in it, where the times of a directory tell that its names are still the same. */
  listing: Listing | null;
}

export interface Listing {
  readonly names: readonly string[];
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly inode: number;
}

/** One change of a model, as a line of its stat cache. */
export type ModelChange =
  | readonly [
      'f',
      path: string,
      isLink: 0 | 1,
      mode: number,
      size: number,
      mtimeMs: number,
      ctimeMs: number,
      inode: number,
      blob: string,
      isRacy: 0 | 1,
    ]
  | readonly ['d', path: string, mode: number]
  | readonly ['x', path: string]
  | readonly ['s', path: string]
  | readonly ['i', covers: 'ignored' | ''];

/** A directory as it was at the last look: the stat cache, and the trees of what did not change. */
export class TreeModel {
  /** What changed since it was last saved; of a model that never was, nothing: all of it will be. */
  readonly changes: ModelChange[] = [];
  /** Whether changes are of interest. */
  isSaved = false;
  readonly root: KnownDirectory = newDirectory('', null, 0);
  readonly uncovered = new Map<string, UncoveredReason>();
  /** Paths that a restore may have changed since: looked at by the next scan, whatever it was told. */
  readonly stale = new Set<string>();
  fileCount = 0;
  #holdsOnRequest = false;

  /** Something that is ignored is held only because the last capture was asked to. */
  get holdsOnRequest(): boolean {
    return this.#holdsOnRequest;
  }

  set holdsOnRequest(holds: boolean) {
    if (holds === this.#holdsOnRequest) return;
    this.#holdsOnRequest = holds;
    this.#note(['i', holds ? 'ignored' : '']);
  }

  #note(change: ModelChange): void {
    if (this.isSaved) this.changes.push(change);
  }

  fileAt(path: string): KnownFile | undefined {
    const names = path.split('/');
    const name = names.pop() ?? '';
    let directory: KnownDirectory | undefined = this.root;
    for (const one of names) directory = directory?.directories.get(one);
    return directory?.files.get(name);
  }

  setFile(directory: KnownDirectory, name: string, file: KnownFile): void {
    const before = directory.files.get(name);
    if (before === undefined) {
      this.removeDirectory(directory, name);
      this.fileCount++;
    }
    directory.files.set(name, file);
    this.#note(fileChange(pathIn(directory, name), file));
    if (before?.blob !== file.blob || before.mode !== file.mode || before.kind !== file.kind)
      touch(directory);
  }

  removeFile(directory: KnownDirectory, name: string): void {
    if (!directory.files.delete(name)) return;
    this.fileCount--;
    this.#note(['x', pathIn(directory, name)]);
    touch(directory);
  }

  /** The directory of that name, made if there was none; a file of that name goes. */
  enterDirectory(parent: KnownDirectory, name: string, mode: number): KnownDirectory {
    const known = parent.directories.get(name);
    if (known !== undefined) {
      if (known.mode === mode) return known;
      known.mode = mode;
      this.#note(['d', known.path, mode]);
      touch(parent);
      return known;
    }
    this.removeFile(parent, name);
    const made = newDirectory(name, parent, mode);
    parent.directories.set(name, made);
    this.#note(['d', made.path, mode]);
    touch(parent);
    return made;
  }

  removeDirectory(parent: KnownDirectory, name: string): void {
    const gone = parent.directories.get(name);
    if (gone === undefined) return;
    parent.directories.delete(name);
    this.fileCount -= filesBelow(gone);
    this.#note(['x', gone.path]);
    touch(parent);
  }

  remove(parent: KnownDirectory, name: string): void {
    this.removeFile(parent, name);
    this.removeDirectory(parent, name);
  }

  markStale(paths: Iterable<string>): void {
    for (const path of paths) {
      this.stale.add(path);
      this.#note(['s', path]);
    }
  }

  /** Everything that a new model must be told to become this one. */
  *allChanges(): Generator<ModelChange> {
    yield* changesOf(this.root);
    for (const path of this.stale) yield ['s', path];
    if (this.#holdsOnRequest) yield ['i', 'ignored'];
  }

  forgetUncovered(path: string): void {
    if (this.uncovered.size === 0) return;
    for (const one of [...this.uncovered.keys()])
      if (one === path || one.startsWith(`${path}/`)) this.uncovered.delete(one);
  }

  uncoveredList(): readonly Uncovered[] {
    return [...this.uncovered]
      .map(([path, reason]) => ({ path, reason }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Puts the trees that changed; a directory that did not costs nothing. */
  putTrees(objects: ObjectDatabase): ObjectId {
    return putTree(this.root, objects);
  }
}

export function pathIn({ path }: KnownDirectory, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}

function* changesOf(directory: KnownDirectory): Generator<ModelChange> {
  for (const [name, file] of directory.files) yield fileChange(pathIn(directory, name), file);
  for (const child of directory.directories.values()) {
    yield ['d', child.path, child.mode];
    yield* changesOf(child);
  }
}

function fileChange(path: string, file: KnownFile): ModelChange {
  const { kind, mode, size, mtimeMs, ctimeMs, inode, blob, isRacy } = file;
  return ['f', path, kind === 'link' ? 1 : 0, mode, size, mtimeMs, ctimeMs, inode, blob, isRacy ? 1 : 0];
}

/** Every directory above must be computed anew. */
function touch(directory: KnownDirectory): void {
  for (let at: KnownDirectory | null = directory; at !== null && at.tree !== null; at = at.parent)
    at.tree = null;
}

function newDirectory(name: string, parent: KnownDirectory | null, mode: number): KnownDirectory {
  const path = parent === null ? '' : pathIn(parent, name);
  return { name, path, parent, mode, files: new Map(), directories: new Map(), tree: null, listing: null };
}

function filesBelow(directory: KnownDirectory): number {
  let count = directory.files.size;
  for (const child of directory.directories.values()) count += filesBelow(child);
  return count;
}

function putTree(directory: KnownDirectory, objects: ObjectDatabase): ObjectId {
  if (directory.tree !== null) return directory.tree;
  const members: TreeMember[] = [];
  for (const [name, { kind, mode, blob }] of directory.files) members.push({ name, kind, mode, id: blob });
  for (const [name, child] of directory.directories)
    members.push({ name, kind: 'directory', mode: child.mode, id: putTree(child, objects) });
  const { bytes } = encodeTree(members, (modes) => objects.put('blob', modes));
  directory.tree = objects.put('tree', bytes);
  objects.trees.set(directory.tree, members);
  return directory.tree;
}
