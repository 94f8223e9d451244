import type { Leaf, ObjectId, TreeEntry } from '../objects.ts';
import type { MergeConflictKind } from './merge-conflict.ts';

/** The three trees of a merge. Sides are also numbers, for places in a `Trio`. */
export const BASE = 0;
export const OURS = 1;
export const THEIRS = 2;
export type Side = typeof OURS | typeof THEIRS;
export const SIDES: readonly Side[] = [OURS, THEIRS];
export type Trio<T> = [T, T, T];

export function otherSide(side: Side): Side {
  return side === OURS ? THEIRS : OURS;
}

/** A set of the three trees, as bits, so that the many cases of a merge can be told by one number. */
export type TreeSet = number;
export const IN_BASE: TreeSet = 1;
export const IN_OURS: TreeSet = 2;
export const IN_THEIRS: TreeSet = 4;
export const IN_BOTH_SIDES: TreeSet = 6;
export const EVERYWHERE: TreeSet = 7;

export function treeSet(tree: 0 | 1 | 2): TreeSet {
  return 1 << tree;
}

/** What stands at a path in the end: a file, a directory that is taken over whole, or a directory that is put together. */
export type PathResult = Leaf | { readonly mode: '040000'; readonly id: ObjectId } | 'folder';

export interface PathConflict {
  readonly kind: MergeConflictKind;
  readonly detail: string;
}

/** What a merge knows of one path. Renames rewrite it before it is resolved, so it is mutable. */
export interface MergedPath {
  /** The entries as they were found, directories included. */
  readonly entries: Trio<TreeEntry | null>;
  /** The versions to merge: those found here, or, after a rename, those that belong together. */
  stages: Trio<Leaf | null>;
  /** Where each version was found. */
  names: Trio<string>;
  /** In which trees it is a file. */
  files: TreeSet;
  /** In which trees it is a directory. */
  folders: TreeSet;
  /** Which two trees have the same file here; empty when all differ. */
  matches: TreeSet;
  /** A file in one tree, a directory in another. */
  isFileAndFolder: boolean;
  /** A conflict about where the file belongs, found while renames were handled. */
  pathConflict: PathConflict | null;
  /** Nothing is left to decide. */
  isResolved: boolean;
  /** `null`: nothing stands here. */
  result: PathResult | null;
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

export function leafOf(entry: TreeEntry | null): Leaf | null {
  return entry === null || entry.mode === '040000' ? null : { mode: entry.mode, id: entry.id };
}

/** Whether both are files, both links, or both submodules. */
export function isSameType(a: Leaf | null, b: Leaf | null): boolean {
  return a?.mode.slice(0, 3) === b?.mode.slice(0, 3);
}
