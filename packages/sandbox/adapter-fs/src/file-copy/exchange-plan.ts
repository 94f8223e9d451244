import { type Change, type Entry, leafOf } from './entry.ts';
import type { PathFacts } from './original-facts.ts';

/**
 * One step of an exchange. `number` names the files that wait in its staging folder: the old one, the new one.
 * - `put`: what lies at the path is set aside, then the new one takes its place; either may be null.
 * - `make-folder`, `remove-folder`: a folder that is there already, or that others use, is no failure.
 */
export type Step =
  | {
      readonly kind: 'put';
      readonly number: number;
      readonly path: string;
      /** What must be there. */
      readonly old: Entry | null;
      readonly new: Entry | null;
    }
  | { readonly kind: 'make-folder' | 'remove-folder'; readonly path: string; readonly mode: number }
  | { readonly kind: 'set-mode'; readonly path: string; readonly from: number; readonly to: number };

export type Put = Extract<Step, { kind: 'put' }>;

/**
 * The steps that lead from what is there to what is wanted, in an order in which each can be taken: files go first, then
 * folders, the innermost first; folders come, the outermost first, then files.
 * @param folderModes of folders that may have to be made on the way.
 */
export function planSteps(
  facts: readonly PathFacts[],
  folderModes: (path: string) => number,
  isThere: (folder: string) => boolean,
): readonly Step[] {
  const needed = facts.filter(({ isNeeded }) => isNeeded);
  const removals = needed.filter(({ change, present }) => presentLeaf(present) && !leafOf(change.after));
  const puts = needed.filter(({ change }) => leafOf(change.after) !== null);
  const put = ({ change, present }: PathFacts, number: number): Step => ({
    kind: 'put',
    number,
    path: change.path,
    old: present === 'special' || present?.kind === 'directory' ? null : present,
    new: leafOf(change.after),
  });
  const made = madeFolders(needed, puts, folderModes, isThere);
  return [
    ...removals.map(put),
    ...removedFolders(needed),
    ...made.map(({ path, mode }): Step => ({ kind: 'make-folder', path, mode: mode | WRITABLE })),
    ...puts.map((each, index) => put(each, removals.length + index)),
    ...made.flatMap(({ path, mode }): readonly Step[] =>
      (mode & WRITABLE) === WRITABLE ? [] : [{ kind: 'set-mode', path, from: mode | WRITABLE, to: mode }],
    ),
    ...changedModes(needed),
  ];
}

/** What a folder needs while it is filled. */
const WRITABLE = 0o700;

function presentLeaf(present: PathFacts['present']): boolean {
  return present !== null && present !== 'special' && present.kind !== 'directory';
}

function removedFolders(needed: readonly PathFacts[]): readonly Step[] {
  return needed
    .flatMap(({ change, present }): readonly Step[] =>
      change.before?.kind === 'directory' && change.after?.kind !== 'directory' && isFolder(present)
        ? [{ kind: 'remove-folder', path: change.path, mode: present.mode }]
        : [],
    )
    .reverse();
}

function madeFolders(
  needed: readonly PathFacts[],
  puts: readonly PathFacts[],
  modeOf: (path: string) => number,
  isThere: (folder: string) => boolean,
): readonly { readonly path: string; readonly mode: number }[] {
  const wanted = new Map<string, number>();
  for (const { change, present } of needed)
    if (change.after?.kind === 'directory' && !isFolder(present)) wanted.set(change.path, change.after.mode);
  for (const { change } of [...puts, ...needed.filter(({ change: { path } }) => wanted.has(path))])
    for (const folder of foldersAbove(change.path))
      if (!wanted.has(folder) && !isThere(folder)) wanted.set(folder, modeOf(folder));
  return [...wanted].sort(([one], [other]) => (one < other ? -1 : 1)).map(([path, mode]) => ({ path, mode }));
}

function changedModes(needed: readonly PathFacts[]): readonly Step[] {
  return needed.flatMap(({ change: { path, before, after }, present }): readonly Step[] => {
    if (!isFolder(present) || before?.kind !== 'directory' || after?.kind !== 'directory') return [];
    return present.mode === before.mode
      ? [{ kind: 'set-mode', path, from: before.mode, to: after.mode }]
      : [];
  });
}

function isFolder(present: PathFacts['present']): present is Extract<Entry, { kind: 'directory' }> {
  return present !== null && present !== 'special' && present.kind === 'directory';
}

function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Changes whose steps an exchange took: what an undo of it is about. */
export function changesTaken(facts: readonly PathFacts[]): readonly Change[] {
  return facts.filter(({ isNeeded }) => isNeeded).map(({ change }) => change);
}
