import { createHash } from 'node:crypto';
import type { SnapshotEntry, Uncovered } from '@cleveragents/checkpoint-domain';
import { type ObjectId, parseObjectId } from '@cleveragents/git-domain';
import type { ObjectDatabase } from './object-database.ts';
import { decodeTree, type TreeMember } from './tree-codec.ts';

/** What a snapshot's commit leads to. */
export interface SnapshotObjects {
  readonly commit: ObjectId;
  /** The tree of the files themselves. */
  readonly files: ObjectId;
  readonly fileCount: number;
  readonly uncovered: readonly Uncovered[];
}

const COVERAGE_NAME = 'coverage.json';
const FILES_NAME = 'files';

/** Puts the commit of a snapshot: a tree of the files, and beside it what the snapshot does not hold. */
export function putSnapshot(
  objects: ObjectDatabase,
  snapshot: Omit<SnapshotObjects, 'commit'>,
  { name, tree: key, takenAt }: { readonly name: string; readonly tree: string; readonly takenAt: Date },
): ObjectId {
  const { fileCount, uncovered, files } = snapshot;
  const coverage = objects.put('blob', Buffer.from(JSON.stringify({ version: 1, fileCount, uncovered })));
  const tree = Buffer.concat([
    Buffer.from(`100644 ${COVERAGE_NAME}\0`),
    Buffer.from(coverage, 'hex'),
    Buffer.from(`40000 ${FILES_NAME}\0`),
    Buffer.from(files, 'hex'),
  ]);
  const seconds = Math.floor(takenAt.getTime() / 1000);
  const person = `cleveragents <checkpoints@cleveragents.invalid> ${seconds} +0000`;
  const text = `tree ${objects.put('tree', tree)}\nauthor ${person}\ncommitter ${person}\n\nsnapshot ${name}\n\ntree ${key}\n`;
  return objects.put('commit', Buffer.from(text));
}

export function readSnapshot(objects: ObjectDatabase, commit: ObjectId): SnapshotObjects {
  const members = decodeTree(objects.read(treeOfCommit(objects, commit), 'tree'), noModes);
  const idOf = (name: string): ObjectId => parseObjectId(members.find((one) => one.name === name)?.id ?? '');
  const coverage = JSON.parse(objects.read(idOf(COVERAGE_NAME), 'blob').toString('utf8')) as Pick<
    SnapshotObjects,
    'fileCount' | 'uncovered'
  >;
  return { commit, files: idOf(FILES_NAME), fileCount: coverage.fileCount, uncovered: coverage.uncovered };
}

/** Which directory the snapshot was taken of, as a key; empty for one that does not say. */
export function treeKeyOf(objects: ObjectDatabase, commit: ObjectId): string {
  const text = objects.read(commit, 'commit').toString('latin1');
  return /\n\ntree ([0-9a-f]+)\n$/.exec(text)?.[1] ?? '';
}

export function treeOfCommit(objects: ObjectDatabase, commit: ObjectId): ObjectId {
  return parseObjectId(
    objects.read(commit, 'commit').toString('latin1', 'tree '.length, 'tree '.length + 40),
  );
}

export function readMembers(objects: ObjectDatabase, tree: ObjectId): readonly TreeMember[] {
  const known = objects.trees.get(tree);
  if (known !== undefined) return known;
  const members = decodeTree(objects.read(tree, 'tree'), (id) => objects.read(id, 'blob'));
  objects.trees.set(tree, members);
  return members;
}

/** The member at a path below a tree; `null` when there is none. */
export function memberAt(objects: ObjectDatabase, tree: ObjectId, path: string): TreeMember | null {
  let at: TreeMember = { name: '', kind: 'directory', mode: 0, id: tree };
  for (const name of path.split('/')) {
    if (at.kind !== 'directory') return null;
    const next = readMembers(objects, at.id).find((member) => member.name === name);
    if (next === undefined) return null;
    at = next;
  }
  return at;
}

export function entryOf({ kind, mode, id }: TreeMember): SnapshotEntry {
  if (kind === 'directory') return { kind, mode };
  return kind === 'link' ? { kind, contentId: id } : { kind, mode, contentId: id };
}

/** SHA-256 of a blob of any size. */
export async function sha256OfBlob(objects: ObjectDatabase, id: ObjectId): Promise<string> {
  const hash = createHash('sha256');
  const content = objects.contentOf(id);
  if (Buffer.isBuffer(content)) hash.update(content);
  else for await (const part of content) hash.update(part);
  return hash.digest('hex');
}

function noModes(): never {
  throw new Error('the outer tree of a snapshot has no modes');
}
