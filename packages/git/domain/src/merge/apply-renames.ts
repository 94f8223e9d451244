import { isRegular } from '../rename/similarity.ts';
import type { Leaf } from '../objects.ts';
import { labelOf, type MergeContext } from './merge-context.ts';
import {
  BASE,
  IN_BASE,
  type MergedPath,
  otherSide,
  OURS,
  type Side,
  THEIRS,
  treeSet,
  type Trio,
} from './merged-path.ts';
import { mergeVersions, type MergedVersion } from './merge-versions.ts';
import type { MovedFile } from './move-into-renamed-folders.ts';

/** Brings the versions of each renamed file together at its new path. */
export async function applyRenames(context: MergeContext, moves: readonly MovedFile[]): Promise<void> {
  for (let at = 0; at < moves.length; at++) {
    const move = moves[at] as MovedFile;
    const next = moves[at + 1];
    const old = context.paths.get(move.from);
    // gone: its directory was taken over whole; resolved: the other side did not touch it
    if (!old || old.isResolved) continue;
    if (next?.from !== move.from) await applyRename(context, move, old);
    else {
      if (next.to === move.to) joinSameRename(context, move, old);
      else await applyDifferentRenames(context, [move, next], old);
      at++;
    }
  }
}

function pathAt(context: MergeContext, path: string): MergedPath {
  const merged = context.paths.get(path);
  if (!merged) throw new Error(`the merge lost sight of ${path}`);
  return merged;
}

function removeOld(old: MergedPath): void {
  old.isResolved = true;
  old.result = null;
}

function joinSameRename(context: MergeContext, { to }: MovedFile, old: MergedPath): void {
  const target = pathAt(context, to);
  target.stages[BASE] = old.stages[BASE];
  target.files |= IN_BASE;
  removeOld(old);
}

/** Each side renamed the file to another name: both names get the merged content, and the conflict. */
async function applyDifferentRenames(
  context: MergeContext,
  [our, their]: readonly [MovedFile, MovedFile],
  old: MergedPath,
): Promise<void> {
  const [ours, theirs] = [pathAt(context, our.to), pathAt(context, their.to)];
  const [ourLeaf, theirLeaf] = [ours.stages[OURS], theirs.stages[THEIRS]];
  const names: Trio<string> = [our.from, our.to, their.to];
  const merged = await mergeMoved(
    context,
    { base: old.stages[BASE], ours: ourLeaf, theirs: theirLeaf },
    names,
  );
  const isOurs = merged.conflict !== null && isSameLeaf(merged.leaf, ourLeaf);
  ours.stages[OURS] = merged.leaf;
  // what cannot be merged keeps its content under each name
  theirs.stages[THEIRS] = isOurs ? theirLeaf : merged.leaf;
  const { labels } = context;
  const detail = `${our.from} renamed to ${our.to} in ${labels.ours} and to ${their.to} in ${labels.theirs}.`;
  for (const path of [old, ours, theirs]) path.pathConflict = { kind: 'rename/rename', detail };
}

function isSameLeaf(a: Leaf | null, b: Leaf | null): boolean {
  return a?.mode === b?.mode && a?.id === b?.id;
}

async function mergeMoved(
  context: MergeContext,
  { base, ours, theirs }: { base: Leaf | null; ours: Leaf | null; theirs: Leaf | null },
  names: Trio<string>,
): Promise<MergedVersion> {
  if (!ours || !theirs) throw new Error(`the merge lost a version of ${names[BASE]}`);
  return mergeVersions(context, { base, ours, theirs, names, extraMarkerSize: 1 + 2 * context.depth });
}

async function applyRename(context: MergeContext, move: MovedFile, old: MergedPath): Promise<void> {
  const target = pathAt(context, move.to);
  const other = otherSide(move.side);
  const isDeleted = old.files === IN_BASE;
  const changesType =
    !isDeleted && isRegularOrNone(old.stages[other]) !== isRegularOrNone(target.stages[move.side]);
  // with a change of type on top, the other side's file there is the other half of a rename that was not seen
  const collides = (target.files & treeSet(other)) !== 0 && !changesType;
  if (collides && !isDeleted) await mergeIntoCollision(context, move, old, target);
  else if (collides) target.pathConflict = renameDelete(context, move);
  else {
    target.stages[BASE] = old.stages[BASE];
    target.files |= IN_BASE;
    target.names[BASE] = move.from;
    if (changesType) {
      old.stages[BASE] = null;
      old.files &= ~IN_BASE;
    } else if (isDeleted) target.pathConflict = renameDelete(context, move);
    else {
      target.stages[other] = old.stages[other];
      target.files |= treeSet(other);
      target.names[other] = move.from;
    }
  }
  if (!changesType) removeOld(old);
}

function isRegularOrNone(leaf: Leaf | null): boolean {
  return leaf !== null && isRegular(leaf);
}

/** The other side has a file of the new name as well: the rename is merged first, then meets that file. */
async function mergeIntoCollision(
  context: MergeContext,
  { from, to, side }: MovedFile,
  old: MergedPath,
  target: MergedPath,
): Promise<void> {
  const other = otherSide(side);
  const versions = { [side]: target.stages[side], [other]: old.stages[other] } as Record<Side, Leaf | null>;
  const names: Trio<string> = [from, from, from];
  names[side] = to;
  const all = { base: old.stages[BASE], ours: versions[OURS], theirs: versions[THEIRS] };
  const merged = await mergeMoved(context, all, names);
  target.stages[side] = merged.leaf;
  if (merged.conflict === null) return;
  target.matches = 0; // even where both sides have the same file there, the conflict must be seen
  target.pathConflict ??= {
    kind: 'content',
    detail: `the rename of ${from} to ${to} has conflicts and meets another file there.`,
  };
}

function renameDelete(
  context: MergeContext,
  { from, to, side }: MovedFile,
): { kind: 'rename/delete'; detail: string } {
  const labels = [labelOf(context, side), labelOf(context, otherSide(side))];
  return {
    kind: 'rename/delete',
    detail: `${from} renamed to ${to} in ${labels[0]}, but deleted in ${labels[1]}.`,
  };
}
