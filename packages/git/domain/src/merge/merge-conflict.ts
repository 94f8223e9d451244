import type { Leaf, ObjectId } from '../objects.ts';
import type { ConflictStyle } from '../text/content-merge.ts';

export type MergeConflictKind =
  /** Both sides changed the same lines. */
  | 'content'
  /** Both sides made a file of this name, and they differ. */
  | 'add/add'
  | 'modify/delete'
  | 'rename/delete'
  /** Renamed differently by each side. */
  | 'rename/rename'
  /** A file of one side where the other has a directory. */
  | 'file/directory'
  /** Both sides changed a file that is binary. */
  | 'binary'
  /** The sides disagree about whether the file is executable. */
  | 'mode'
  /** Both sides changed a symbolic link, or one made the file a link (or a submodule) and the other changed it. */
  | 'link'
  /** Both sides moved a submodule. */
  | 'submodule'
  /** One side added a file to a directory that the other renamed: nobody can tell where it belongs. */
  | 'directory-rename';

/** Something at one path that a person has to decide. */
export interface MergeConflict {
  readonly path: string;
  readonly kind: MergeConflictKind;
  /** The three versions; after renames those that belong together, wherever they were. */
  readonly base: Leaf | null;
  readonly ours: Leaf | null;
  readonly theirs: Leaf | null;
  /** One sentence for people. */
  readonly detail: string;
}

/** Names of both sides: in conflict markers and in the sentences about conflicts. */
export interface MergeLabels {
  readonly ours: string;
  readonly theirs: string;
  readonly base?: string;
}

export interface MergePresentation {
  /** `ours` and `theirs` unless given. */
  readonly labels?: MergeLabels;
  readonly style?: ConflictStyle;
  /**
   * `mark` (unless given): on conflicts write a tree with conflict markers. `report`: on conflicts write nothing of the
   * result; `markedTree` is `null` then.
   */
  readonly onConflict?: 'report' | 'mark';
}

export type TreeMerge =
  | { readonly kind: 'clean'; readonly tree: ObjectId }
  | {
      readonly kind: 'conflicts';
      /** Sorted by path. */
      readonly conflicts: readonly MergeConflict[];
      /** The result as git would leave it in the work tree, with markers in the files that conflict. */
      readonly markedTree: ObjectId | null;
    };
