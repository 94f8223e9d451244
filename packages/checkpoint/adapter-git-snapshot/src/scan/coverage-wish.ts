import type { ObjectId } from '@cleveragents/git-domain';
import type { ObjectDatabase } from '../objects/object-database.ts';
import { readMembers } from '../objects/snapshot-objects.ts';
import type { TreeMember } from '../objects/tree-codec.ts';
import { IgnoreFile } from './ignore-file.ts';
import type { TrackedPaths } from './work-tree.ts';

/** What is covered although an ignore file names it. */
export class CoverageWish {
  readonly #tracked: TrackedPaths;
  readonly #asked: IgnoreFile | null;
  readonly #held: readonly TreeLookup[];
  /** Something was covered that only this wish covers. */
  wasGranted = false;

  constructor(wish: {
    readonly tracked: TrackedPaths;
    readonly includeIgnored: readonly string[];
    readonly held: readonly TreeLookup[];
  }) {
    this.#tracked = wish.tracked;
    this.#asked =
      wish.includeIgnored.length === 0 ? null : new IgnoreFile('', wish.includeIgnored.join('\n'));
    this.#held = wish.held;
  }

  /** A file, a link, or a directory with all that lies below it. */
  covers(path: string, name: string, isDirectory: boolean): boolean {
    if (!isDirectory && this.#tracked.has(path)) return true;
    const isWished =
      this.#asked?.says(path, name, isDirectory) === 'ignored' || (!isDirectory && this.holds(path));
    this.wasGranted ||= isWished;
    return isWished;
  }

  /** Whether it is worth looking into an ignored directory. */
  mayCoverBelow(path: string): boolean {
    return this.#asked !== null || this.#tracked.hasBelow(path) || this.holdsDirectory(path);
  }

  /** Whether an earlier snapshot holds it, whatever it was then. */
  holds(path: string): boolean {
    return this.#held.some((lookup) => lookup.has(path));
  }

  /** A directory that an earlier snapshot holds is covered itself, also when nothing is left in it. */
  holdsDirectory(path: string): boolean {
    return this.#held.some((lookup) => lookup.isDirectory(path));
  }
}

/** Members of a tree by path; opens each directory once, and only when somebody asks for what lies in it. */
export class TreeLookup {
  readonly #objects: ObjectDatabase;
  readonly #directories = new Map<string, ReadonlyMap<string, TreeMember> | null>();

  constructor(objects: ObjectDatabase, tree: ObjectId) {
    this.#objects = objects;
    this.#directories.set('', this.#open(tree));
  }

  has(path: string): boolean {
    return this.#member(path) !== undefined;
  }

  isDirectory(path: string): boolean {
    return this.#member(path)?.kind === 'directory';
  }

  #member(path: string): TreeMember | undefined {
    const slash = path.lastIndexOf('/');
    return this.#directory(slash < 0 ? '' : path.slice(0, slash))?.get(path.slice(slash + 1));
  }

  #directory(path: string): ReadonlyMap<string, TreeMember> | null {
    const known = this.#directories.get(path);
    if (known !== undefined) return known;
    const member = this.#member(path);
    const opened = member?.kind === 'directory' ? this.#open(member.id) : null;
    this.#directories.set(path, opened);
    return opened;
  }

  #open(tree: ObjectId): ReadonlyMap<string, TreeMember> {
    return new Map(readMembers(this.#objects, tree).map((member) => [member.name, member]));
  }
}
