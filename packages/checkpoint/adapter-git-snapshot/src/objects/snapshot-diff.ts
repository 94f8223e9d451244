import type { SnapshotDifference } from '@cleveragents/checkpoint-domain';
import type { ObjectId } from '@cleveragents/git-domain';
import type { RelativePath } from '@cleveragents/shared-kernel';
import type { ObjectDatabase } from './object-database.ts';
import { entryOf, readMembers } from './snapshot-objects.ts';
import type { TreeMember } from './tree-codec.ts';

/** Compares top-down and never opens a directory that is equal on both sides. Sorted by path. */
export function diffSnapshots(
  objects: ObjectDatabase,
  present: ObjectId | null,
  wanted: ObjectId | null,
): readonly SnapshotDifference[] {
  const differences: SnapshotDifference[] = [];
  const membersOf = (tree: ObjectId | null): ReadonlyMap<string, TreeMember> =>
    new Map(tree === null ? [] : readMembers(objects, tree).map((member) => [member.name, member]));
  const compare = (presentTree: ObjectId | null, wantedTree: ObjectId | null, base: string): void => {
    if (presentTree === wantedTree) return;
    const before = membersOf(presentTree);
    const after = membersOf(wantedTree);
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(name), after.get(name)];
      const path = base + name;
      if (!isSame(was, is))
        differences.push({
          path: path as RelativePath,
          present: was === undefined ? null : entryOf(was),
          wanted: is === undefined ? null : entryOf(is),
        });
      compare(treeOf(was), treeOf(is), `${path}/`);
    }
  };
  compare(present, wanted, '');
  return differences.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The same in itself, whatever lies below. */
function isSame(a: TreeMember | undefined, b: TreeMember | undefined): boolean {
  if (a === undefined || b === undefined || a.kind !== b.kind || a.mode !== b.mode) return false;
  return a.kind === 'directory' || a.id === b.id;
}

function treeOf(member: TreeMember | undefined): ObjectId | null {
  return member?.kind === 'directory' ? member.id : null;
}
