import type { RenamePair } from '../rename/rename-matcher.ts';
import { comparePaths } from '../paths.ts';
import { newFolder } from './collect-paths.ts';
import { labelOf, type MergeContext } from './merge-context.ts';
import {
  leafOf,
  type MergedPath,
  otherSide,
  OURS,
  parentOf,
  type Side,
  SIDES,
  THEIRS,
  treeSet,
} from './merged-path.ts';
import type { SideRenames } from './side-renames.ts';

/** A file that came to stand at a path on one side. `from` is its path in the base; its own for a file that is new. */
export interface MovedFile {
  readonly from: string;
  readonly to: string;
  readonly side: Side;
}

/** New paths that files of one side would get because the other side renamed their directories, and the files themselves. */
interface Landings {
  readonly sources: Map<string, string[]>;
  readonly reported: Set<string>;
}

type FolderMap = ReadonlyMap<string, string>;

/**
 * All renames of both sides, in the order of their sources. Where one side renamed a directory and the other put a file
 * into it, the file is moved along, and marked as a conflict: only a person can say whether that was meant. So does git
 * with `merge.directoryRenames=conflict`, its default.
 */
export function collectMoves(
  context: MergeContext,
  renames: Readonly<Record<Side, SideRenames>>,
): readonly MovedFile[] {
  const folders = context.depth > 0 ? noFolders() : folderMaps(context, renames);
  const landings = {
    [OURS]: landingsOf(renames[OURS], folders[THEIRS]),
    [THEIRS]: landingsOf(renames[THEIRS], folders[OURS]),
  };
  const moves: MovedFile[] = [];
  for (const side of SIDES)
    for (const { path } of renames[side].added) {
      const pair = renames[side].pairs.get(path) ?? null;
      const target = newPlaceOf(context, { path, side, folders, landings });
      if (target !== null) moveAlong(context, { path, target, side, pair });
      if (pair || target !== null) moves.push({ from: pair?.source.path ?? path, to: target ?? path, side });
    }
  return moves.sort((a, b) => comparePaths(a.from, b.from) || a.side - b.side);
}

function noFolders(): Record<Side, FolderMap> {
  return { [OURS]: new Map(), [THEIRS]: new Map() };
}

/** The directory renames that can be relied upon: those that one side did, and to one place. */
function folderMaps(
  context: MergeContext,
  renames: Readonly<Record<Side, SideRenames>>,
): Record<Side, FolderMap> {
  const result = { [OURS]: new Map<string, string>(), [THEIRS]: new Map<string, string>() };
  for (const side of SIDES)
    for (const [from, to] of renames[side].folders) {
      if (to === null) reportSplit(context, from);
      else if (typeof renames[otherSide(side)].folders.get(from) !== 'string') result[side].set(from, to);
    }
  return result;
}

function reportSplit({ conflicts }: MergeContext, path: string): void {
  const detail = `${path} was renamed to several directories, none of which got most of its files.`;
  conflicts.push({ path, kind: 'directory-rename', base: null, ours: null, theirs: null, detail });
}

function landingsOf({ added }: SideRenames, folders: FolderMap): Landings {
  const sources = new Map<string, string[]>();
  for (const { path } of added) {
    const folder = renamedFolderOf(path, folders);
    if (folder === null) continue;
    const target = movedPath(path, folder);
    sources.set(target, [...(sources.get(target) ?? []), path]);
  }
  return { sources, reported: new Set() };
}

/** The nearest directory above that was renamed. */
function renamedFolderOf(path: string, folders: FolderMap): { from: string; to: string } | null {
  for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) {
    const to = folders.get(folder);
    if (to !== undefined) return { from: folder, to };
  }
  return null;
}

function movedPath(path: string, { from, to }: { from: string; to: string }): string {
  return to === '' ? path.slice(from.length + 1) : to + path.slice(from.length);
}

interface Placement {
  readonly path: string;
  readonly side: Side;
  readonly folders: Record<Side, FolderMap>;
  readonly landings: Record<Side, Landings>;
}

/** `null`: the file stays where it is. */
function newPlaceOf(context: MergeContext, { path, side, folders, landings }: Placement): string | null {
  const other = otherSide(side);
  const folder = renamedFolderOf(path, folders[other]);
  if (folder === null || landings[other].sources.has(path)) return null;
  if (folders[side].has(folder.to)) return null; // else two renames would chase each other
  const target = movedPath(path, folder);
  const { sources, reported } = landings[side];
  if (reported.has(target)) return null;
  const isTaken = isInWay(context, target, side) || isBelowWhole(context, target);
  const together = sources.get(target) ?? [];
  if (!isTaken && together.length === 1) return target;
  reported.add(target);
  const detail = isTaken
    ? `${together.join(', ')} cannot follow the renamed directory: there is something at ${target}.`
    : `${together.join(', ')} would all have to become ${target}.`;
  context.conflicts.push({
    path: target,
    kind: 'directory-rename',
    base: null,
    ours: null,
    theirs: null,
    detail,
  });
  return null;
}

function isInWay({ paths }: MergeContext, target: string, side: Side): boolean {
  const found = paths.get(target);
  return found !== undefined && (found.isResolved || ((found.files | found.folders) & treeSet(side)) !== 0);
}

/** In a directory that is taken over as it is, without a look at what it holds. Git loses files there. */
function isBelowWhole({ paths }: MergeContext, target: string): boolean {
  let folder = parentOf(target);
  while (folder !== '' && !paths.has(folder)) folder = parentOf(folder);
  const found = paths.get(folder);
  return found !== undefined && found.isResolved && found.result !== null;
}

interface Following {
  readonly path: string;
  readonly target: string;
  readonly side: Side;
  readonly pair: RenamePair | null;
}

/** Takes the file from where its side has it to where the directory went. */
function moveAlong(context: MergeContext, { path, target, side, pair }: Following): void {
  const { paths } = context;
  const moved = paths.get(path);
  if (!moved) throw new Error(`the merge lost sight of ${path}`);
  for (let folder = parentOf(target); folder !== '' && !paths.has(folder); folder = parentOf(folder))
    paths.set(folder, newFolder(folder, moved.files));
  paths.delete(path);
  const resident = paths.get(target);
  const merged = resident ? join(resident, moved, side) : moved;
  paths.set(target, merged);
  const origin = pair ? `${pair.source.path} renamed to ${path}` : `${path} added`;
  const sides = [labelOf(context, side), labelOf(context, otherSide(side))];
  merged.pathConflict = {
    kind: 'directory-rename',
    detail: `${origin} in ${sides[0]}, inside a directory that was renamed in ${sides[1]}; it may belong to ${target}.`,
  };
}

function join(resident: MergedPath, moved: MergedPath, side: Side): MergedPath {
  resident.files |= moved.files;
  if (resident.folders !== 0) resident.isFileAndFolder = true;
  resident.names[side] = moved.names[side];
  resident.stages[side] = moved.stages[side] ?? leafOf(moved.entries[side]);
  return resident;
}
