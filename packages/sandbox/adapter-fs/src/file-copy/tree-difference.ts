import { createHash } from 'node:crypto';
import {
  detectRenames,
  type FileChange,
  type Leaf,
  lineStatistics,
  type ObjectId,
  parseObjectId,
  type TreeChange,
  unifiedDiff,
} from '@cleveragents/git-domain';
import type { FileReport } from '@cleveragents/sandbox-domain';
import { sha256Hex } from '@cleveragents/shared-kernel';
import { byPath, type Change, type Entry, leafOf, sameEntry } from './entry.ts';

/** Each path at which two trees differ, by path. */
export function differencesBetween(
  before: ReadonlyMap<string, { readonly entry: Entry }>,
  after: ReadonlyMap<string, { readonly entry: Entry }>,
): readonly Change[] {
  const changes: Change[] = [];
  for (const [path, { entry }] of before) {
    const now = after.get(path)?.entry ?? null;
    if (!sameEntry(entry, now)) changes.push({ path, before: entry, after: now });
  }
  for (const [path, { entry }] of after)
    if (!before.has(path)) changes.push({ path, before: null, after: entry });
  return changes.sort(byPath);
}

/** The same changes have the same name: 64 hex digits. */
export function nameOfChanges(changes: readonly Change[]): string {
  return sha256Hex(
    changes.map(({ path, before, after }) => JSON.stringify([path, before, after])).join('\n'),
  );
}

/** The bytes of either side of a change: of a file what it holds, of a link where it leads. */
export type ReadSide = (change: Change, side: 'before' | 'after') => Uint8Array;

/** The changes as a person wants to read them; folders only where nothing in them says so already. */
export async function reportsOf(changes: readonly Change[], read: ReadSide): Promise<readonly FileReport[]> {
  const { reader, fileChanges } = await gitChanges(changes, read);
  const reports: FileReport[] = [];
  for (const change of fileChanges) {
    const statistics = await lineStatistics(reader, change);
    reports.push({
      path: change.path,
      kind: kindOf(change),
      renamedFrom: change.renamedFrom,
      ...statistics,
    });
  }
  return [...reports, ...folderReports(changes)].sort(byPath);
}

export async function patchOf(changes: readonly Change[], read: ReadSide): Promise<Uint8Array> {
  const { reader, fileChanges } = await gitChanges(changes, read);
  return unifiedDiff(reader, fileChanges);
}

async function gitChanges(
  changes: readonly Change[],
  read: ReadSide,
): Promise<{ readonly reader: BlobReader; readonly fileChanges: readonly FileChange[] }> {
  const reader = new BlobReader(read);
  const treeChanges = changes.flatMap((change): readonly TreeChange[] => {
    const [before, after] = [reader.leaf(change, 'before'), reader.leaf(change, 'after')];
    const isSameToGit = before?.id === after?.id && before?.mode === after?.mode;
    const hasModes = leafOf(change.before) !== null && leafOf(change.after) !== null;
    return isSameToGit && !hasModes ? [] : [{ path: change.path, before, after }];
  });
  return { reader, fileChanges: await detectRenames(reader, treeChanges) };
}

/** Gives git's names to the bytes of changed files, for the parts of git's domain that compare files. */
class BlobReader {
  readonly #read: ReadSide;
  readonly #sources = new Map<ObjectId, { readonly change: Change; readonly side: 'before' | 'after' }>();

  constructor(read: ReadSide) {
    this.#read = read;
  }

  leaf(change: Change, side: 'before' | 'after'): Leaf | null {
    const entry = leafOf(change[side]);
    if (entry === null) return null;
    const bytes = this.#read(change, side);
    const id = parseObjectId(createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'));
    this.#sources.set(id, { change, side });
    if (entry.kind === 'link') return { mode: '120000', id };
    return { mode: (entry.mode & 0o100) === 0 ? '100644' : '100755', id };
  }

  async readBlob(id: ObjectId): Promise<Uint8Array> {
    const source = this.#sources.get(id);
    if (source === undefined) throw new Error(`nobody asked for ${id}`);
    return this.#read(source.change, source.side);
  }
}

function kindOf({ before, after, renamedFrom }: FileChange): FileReport['kind'] {
  if (renamedFrom !== null) return 'renamed';
  if (before === null) return 'added';
  if (after === null) return 'deleted';
  if (before.mode === '120000' || after.mode === '120000') return 'link';
  return before.id === after.id ? 'mode' : 'modified';
}

function folderReports(changes: readonly Change[]): readonly FileReport[] {
  const paths = changes.map(({ path }) => path);
  return changes.flatMap(({ path, before, after }, index): readonly FileReport[] => {
    const [was, is] = [before?.kind === 'directory', after?.kind === 'directory'];
    if (!was && !is) return [];
    if (was !== is && hasBelow(paths, index, path)) return [];
    const kind = was && is ? 'mode' : is ? 'added' : 'deleted';
    if ((was && leafOf(after) !== null) || (is && leafOf(before) !== null)) return [];
    return [{ path: `${path}/`, kind, renamedFrom: null, binary: false, insertions: 0, deletions: 0 }];
  });
}

/** Whether a later path lies below this one; between the two only names that begin alike can stand. */
function hasBelow(paths: readonly string[], index: number, path: string): boolean {
  for (let next = index + 1; next < paths.length && paths[next]?.startsWith(path) === true; next++)
    if (paths[next]?.startsWith(`${path}/`) === true) return true;
  return false;
}
