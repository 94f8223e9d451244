import { readdirSync } from 'node:fs';
import { findOverlaps, type Overlap, type TargetPath } from '@cleveragents/sandbox-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import { type Change, type Entry, sameEntry } from './entry.ts';
import { entryAt } from './file-bytes.ts';
import { nameOf, PinnedFolder } from './pinned-folder.ts';

/** What lies where a change would write. */
export interface PathFacts {
  readonly change: Change;
  readonly present: Entry | 'special' | null;
  /** False: it holds what the change leads to already. */
  readonly isNeeded: boolean;
}

export interface TargetFacts {
  readonly facts: readonly PathFacts[];
  /** Paths whose present content the changes would destroy, or that cannot be reached. */
  readonly overlaps: readonly Overlap[];
}

/** Looks at each path of a folder that changes would write to. Reads only. */
export function examineTarget(root: string, changes: readonly Change[]): TargetFacts {
  const byName = new Map(changes.map((change) => [change.path, change]));
  const facts: PathFacts[] = [];
  const targets: TargetPath[] = [];
  for (const change of changes) {
    const { present, target } = examine(root, change, byName);
    facts.push({ change, present, isNeeded: !holds(present, change.after) });
    if (target !== null) targets.push(target);
  }
  return { facts, overlaps: findOverlaps(targets) };
}

type Changes = ReadonlyMap<string, Change>;

interface Examined {
  readonly present: Entry | 'special' | null;
  /** Null where nothing can be lost: folders are made where they lack and removed where they are empty. */
  readonly target: TargetPath | null;
}

function examine(root: string, change: Change, changes: Changes): Examined {
  const { path, before, after } = change;
  const reached = reach(root, change, changes);
  if ('blockedBy' in reached) {
    const target = targetOf(change, { disk: 'absent', blockedParent: reached.blockedBy });
    return { present: null, target: after === null ? null : target };
  }
  if (reached.isUnreadable) return { present: null, target: targetOf(change, { disk: 'inaccessible' }) };
  const { present, collidesWith } = reached;
  if (collidesWith !== null) return { present, target: targetOf(change, { disk: 'other', collidesWith }) };
  const isFolderMatter = before?.kind === 'directory' && (after === null || after.kind === 'directory');
  if (isFolderMatter) return { present, target: null };
  if (present !== null && present !== 'special' && present.kind === 'directory') {
    if (after?.kind === 'directory') return { present, target: null };
    if (before?.kind !== 'directory') return { present, target: targetOf(change, { disk: 'other' }) };
    const occupants = occupantsOf(root, path, changes);
    return { present, target: targetOf(change, { disk: 'directory', occupants }) };
  }
  return { present, target: targetOf(change, { disk: diskOf(change, present) }) };
}

function diskOf({ before, after }: Change, present: Entry | 'special' | null): TargetPath['disk'] {
  if (present === null) return 'absent';
  if (present === 'special') return 'other';
  if (sameEntry(present, after)) return 'after';
  return sameEntry(present, before) ? 'before' : 'other';
}

function holds(present: Entry | 'special' | null, after: Entry | null): boolean {
  return present !== 'special' && sameEntry(present, after);
}

/** In the words in which the domain judges every strategy. A folder that gives way to a file counts as nothing before. */
function targetOf(
  { path, before, after }: Change,
  facts: Pick<TargetPath, 'disk'> & Partial<TargetPath>,
): TargetPath {
  const had = before !== null && before.kind !== 'directory';
  return {
    path,
    before: had ? before : null,
    after,
    index: had ? 'before' : 'absent',
    occupants: [],
    ignored: false,
    unwatched: false,
    blockedParent: null,
    collidesWith: null,
    ...facts,
  };
}

type Reached =
  | { readonly blockedBy: { readonly path: string; readonly type: 'link' | 'file' } }
  | {
      readonly present: Entry | 'special' | null;
      readonly collidesWith: string | null;
      readonly isUnreadable: boolean;
    };

const NOTHING: Reached = { present: null, collidesWith: null, isUnreadable: false };

function reach(root: string, { path, before }: Change, changes: Changes): Reached {
  const names = path.split('/');
  let folder = PinnedFolder.open(root);
  try {
    for (const [index, name] of names.slice(0, -1).entries()) {
      const stats = folder.stat(name);
      if (stats === null) return NOTHING;
      if (!stats.isDirectory()) {
        const parent = names.slice(0, index + 1).join('/');
        // a file that the same changes take away, to make a folder of it
        if (changes.get(parent)?.after?.kind === 'directory') return NOTHING;
        return { blockedBy: { path: parent, type: stats.isSymbolicLink() ? 'link' : 'file' } };
      }
      const outer = folder;
      folder = outer.enter(name);
      outer.close();
    }
    const name = nameOf(path);
    const present = entryAt(folder, name);
    const other = present === null || before !== null ? null : otherSpelling(folder, name);
    if (other === null) return { present, collidesWith: null, isUnreadable: false };
    const collidesWith = [...names.slice(0, -1), other].join('/');
    // a name that changes its case, or how its letters are composed, gives way to itself
    if (changes.get(collidesWith)?.after === null) return NOTHING;
    return { present, collidesWith, isUnreadable: false };
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return NOTHING;
    if (!hasCode(error, 'EACCES', 'EPERM', 'EILSEQ')) throw error;
    return { present: null, collidesWith: null, isUnreadable: true };
  } finally {
    folder.close();
  }
}

/** Under which name a file system that takes different names for one keeps what was found; null: under this one. */
function otherSpelling(folder: PinnedFolder, name: string): string | null {
  const names = folder.names(() => undefined);
  if (names.includes(name)) return null;
  const plain = (text: string): string => text.normalize('NFC').toLowerCase();
  return names.find((each) => plain(each) === plain(name)) ?? null;
}

/** What a folder that is to give way to a file holds, beside what gives way with it. */
function occupantsOf(root: string, path: string, changes: Changes): readonly string[] {
  const found: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(`${root}/${folder}`, { withFileTypes: true })) {
      const each = `${folder}/${entry.name}`;
      if (changes.get(each)?.after !== null) found.push(each);
      else if (entry.isDirectory()) visit(each);
    }
  };
  visit(path);
  return found;
}
