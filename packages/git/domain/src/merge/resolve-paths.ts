import type { Leaf } from '../objects.ts';
import { comparePaths } from '../paths.ts';
import type { MergeConflict } from './merge-conflict.ts';
import { labelOf, type MergeContext } from './merge-context.ts';
import {
  BASE,
  IN_BASE,
  IN_BOTH_SIDES,
  IN_OURS,
  IN_THEIRS,
  isSameType,
  type MergedPath,
  OURS,
  type PathConflict,
  type Side,
  THEIRS,
  treeSet,
  type Trio,
} from './merged-path.ts';
import { mergeVersions } from './merge-versions.ts';
import { ResultTree } from './result-tree.ts';

/** Decides what stands at each path, the contents of a directory before the directory itself. */
export async function resolvePaths(context: MergeContext): Promise<ResultTree> {
  const tree = new ResultTree();
  const resolver = new Resolver(context, tree);
  const ordered = [...context.paths].map(([path, merged]) => ({ key: `${path}/`, path, merged }));
  ordered.sort((a, b) => comparePaths(b.key, a.key));
  for (const { path, merged } of ordered) await resolver.resolve(path, merged);
  return tree;
}

class Resolver {
  readonly #context: MergeContext;
  readonly #tree: ResultTree;

  constructor(context: MergeContext, tree: ResultTree) {
    this.#context = context;
    this.#tree = tree;
  }

  async resolve(path: string, merged: MergedPath): Promise<void> {
    const isFolder = this.#tree.hasFolder(path);
    if (isFolder) this.#tree.put(path, 'folder');
    if (merged.isResolved) this.#tree.put(path, merged.result);
    else if (merged.folders === 0) await this.#resolveFile(path, merged, null);
    else {
      if (merged.files === 0) return;
      if (isFolder) await this.#moveOutOfWay(path, merged);
      else {
        this.#forgetFolder(merged);
        await this.#resolveFile(path, merged, null);
      }
    }
  }

  /** Nothing is left of the directory: the file can stand here. */
  #forgetFolder(merged: MergedPath): void {
    merged.isFileAndFolder = false;
    merged.matches &= ~merged.folders;
    merged.folders = 0;
  }

  async #moveOutOfWay(path: string, merged: MergedPath): Promise<void> {
    if (merged.files === IN_BASE) return;
    const side = (merged.folders & IN_OURS) !== 0 ? THEIRS : OURS;
    const label = labelOf(this.#context, side);
    const aside = this.#freePath(path, label);
    const moved: MergedPath = { ...merged, matches: merged.matches & ~merged.folders, folders: 0 };
    this.#context.paths.set(aside, moved);
    const detail = `a directory is in the way of ${path} from ${label}; it is at ${aside} instead.`;
    await this.#resolveFile(aside, moved, { side, conflict: { kind: 'file/directory', detail } });
  }

  /** `path~label`, made unique. */
  #freePath(path: string, label: string): string {
    const wanted = `${path}~${label.replaceAll('/', '_')}`;
    let free = wanted;
    for (let suffix = 0; this.#context.paths.has(free); suffix++) free = `${wanted}_${suffix}`;
    return free;
  }

  async #resolveFile(path: string, merged: MergedPath, inWay: FolderInWay | null): Promise<void> {
    const placed = inWay?.conflict ?? merged.pathConflict;
    const { stages, files, matches } = merged;
    if (matches !== 0) {
      const side = matches === (IN_BASE | IN_OURS) ? THEIRS : OURS;
      this.#finish(path, merged, stages[side], stages[side] === null ? null : placed);
    } else if ((files & IN_BOTH_SIDES) === IN_BOTH_SIDES) {
      if (isSameType(stages[OURS], stages[THEIRS])) await this.#mergeBoth(path, merged, inWay);
      else this.#separateTypes(path, merged);
    } else if (files === (IN_BASE | IN_OURS)) this.#keepModified(path, merged, OURS, placed);
    else if (files === (IN_BASE | IN_THEIRS)) this.#keepModified(path, merged, THEIRS, placed);
    else if (files === IN_OURS) this.#finish(path, merged, stages[OURS], placed);
    else if (files === IN_THEIRS) this.#finish(path, merged, stages[THEIRS], placed);
    else this.#finish(path, merged, null, merged.pathConflict);
  }

  async #mergeBoth(path: string, merged: MergedPath, inWay: FolderInWay | null): Promise<void> {
    const [base, ours, theirs] = merged.stages;
    if (!ours || !theirs) throw new Error(`the merge lost a version of ${path}`);
    const { names } = merged;
    const extraMarkerSize = this.#context.depth * 2;
    const { leaf, conflict } = await mergeVersions(this.#context, {
      base,
      ours,
      theirs,
      names,
      extraMarkerSize,
    });
    if (conflict === null && inWay) {
      merged.files = treeSet(inWay.side);
      merged.stages[inWay.side] = leaf;
    }
    const placed = inWay?.conflict ?? merged.pathConflict;
    const found = conflict && { kind: conflict, detail: sentenceOf(conflict, path) };
    this.#finish(path, merged, leaf, found ?? placed);
  }

  /** A file on one side, a link or a submodule on the other: both are kept, under names of their own. */
  #separateTypes(path: string, merged: MergedPath): void {
    const { stages, files } = merged;
    const [base, ours, theirs] = stages;
    const detail = `${path} had different types on each side.`;
    const isSubmodule = ours?.mode === '160000' || theirs?.mode === '160000';
    const conflict: PathConflict = { kind: isSubmodule ? 'submodule' : 'link', detail };
    if (this.#context.depth > 0) {
      this.#finish(path, merged, base, conflict);
      return;
    }
    const isFile = (side: Side): boolean => stages[side]?.mode.startsWith('100') === true;
    const movesOurs = isFile(OURS) || !isFile(THEIRS);
    const movesTheirs = !isFile(OURS);
    const own = (side: Side): MergedPath => {
      const keepsBase = isSameType(base, stages[side]);
      const kept: Trio<typeof base> = [keepsBase ? base : null, null, null];
      kept[side] = stages[side];
      return { ...merged, stages: kept, files: (files & IN_BASE && keepsBase ? IN_BASE : 0) | treeSet(side) };
    };
    const paths = this.#context.paths;
    const ourPath = movesOurs ? this.#freePath(path, this.#context.labels.ours) : path;
    const theirPath = movesTheirs ? this.#freePath(path, this.#context.labels.theirs) : path;
    paths.set(ourPath, own(OURS));
    paths.set(theirPath, own(THEIRS));
    this.#finish(theirPath, own(THEIRS), theirs, conflict);
    this.#finish(ourPath, own(OURS), ours, conflict);
  }

  /** One side deleted what the other one changed, or renamed. */
  #keepModified(path: string, merged: MergedPath, side: Side, placed: PathConflict | null): void {
    const { stages } = merged;
    const labels = [labelOf(this.#context, side === OURS ? THEIRS : OURS), labelOf(this.#context, side)];
    const isChanged = stages[BASE]?.id !== stages[side]?.id;
    const detail = `${path} deleted in ${labels[0]} and modified in ${labels[1]}.`;
    const conflict: PathConflict =
      merged.pathConflict && (!isChanged || merged.pathConflict.kind === 'rename/delete')
        ? merged.pathConflict
        : { kind: 'modify/delete', detail };
    const kept = stages[this.#context.depth > 0 ? BASE : side];
    this.#finish(path, merged, kept, placed?.kind === 'file/directory' ? placed : conflict);
  }

  #finish(
    path: string,
    merged: MergedPath,
    result: MergedPath['result'],
    conflict: PathConflict | null,
  ): void {
    this.#tree.put(path, result);
    if (conflict) this.#context.conflicts.push(this.#conflictAt(path, merged, conflict));
  }

  #conflictAt(path: string, { stages, files }: MergedPath, { kind, detail }: PathConflict): MergeConflict {
    const at = (tree: 0 | 1 | 2): Leaf | null => {
      const leaf = (files & treeSet(tree)) === 0 ? null : stages[tree];
      return leaf && { mode: leaf.mode, id: this.#context.drafts.originOf(leaf.id) };
    };
    return { path, kind, base: at(BASE), ours: at(OURS), theirs: at(THEIRS), detail };
  }
}

interface FolderInWay {
  /** The side that has the file. */
  readonly side: Side;
  readonly conflict: PathConflict;
}

function sentenceOf(kind: MergeConflict['kind'], path: string): string {
  switch (kind) {
    case 'add/add':
      return `both sides made ${path}, and differ.`;
    case 'binary':
      return `both sides changed ${path}, which is binary.`;
    case 'mode':
      return `the sides disagree about whether ${path} is executable.`;
    case 'link':
      return `both sides changed the link ${path}.`;
    case 'submodule':
      return `both sides moved the submodule ${path}.`;
    default:
      return `both sides changed the same lines of ${path}.`;
  }
}
