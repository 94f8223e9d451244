import {
  compareBytes,
  concatBytes,
  decodeLatin1,
  decodeUtf8,
  encodeUtf8,
  hexOf,
  writeHex,
} from '../bytes.ts';
import { GitFormatError } from '../git-format.errors.ts';
import type { ObjectId, TreeReader } from '../objects.ts';
import type { IndexView } from './view.ts';

/** What the index knows of the tree objects that its entries make: extension TREE. */
export interface CacheTree {
  /** One segment; empty for the root. */
  readonly name: string;
  /** How many index entries lie below; -1 with the id `null` when the tree is not known. */
  readonly entryCount: number;
  readonly id: ObjectId | null;
  readonly children: readonly CacheTree[];
}

const SPACE = 0x20;
const LINE_FEED = 0x0a;

/**
 * @returns `null` when the index has none.
 * @throws GitFormatError `GIT_INDEX_CORRUPT`.
 */
export function readCacheTree(view: IndexView): CacheTree | null {
  const extension = view.extension('TREE');
  if (extension === null) return null;
  const cursor = { bytes: view.bytes.subarray(extension.start, extension.end), at: 0 };
  const tree = readNode(cursor);
  if (cursor.at !== cursor.bytes.length) throw corrupt();
  return tree;
}

function readNode(cursor: { readonly bytes: Uint8Array; at: number }): CacheTree {
  const { bytes } = cursor;
  const nameEnd = bytes.indexOf(0, cursor.at);
  const space = bytes.indexOf(SPACE, nameEnd + 1);
  const lineEnd = bytes.indexOf(LINE_FEED, space + 1);
  if (nameEnd < 0 || space < 0 || lineEnd < 0) throw corrupt();
  const name = decodeName(bytes.subarray(cursor.at, nameEnd));
  const entryCount = readCount(decodeLatin1(bytes, nameEnd + 1, space));
  const childCount = readCount(decodeLatin1(bytes, space + 1, lineEnd));
  cursor.at = lineEnd + 1 + (entryCount < 0 ? 0 : 20);
  if (cursor.at > bytes.length) throw corrupt();
  const id = entryCount < 0 ? null : (hexOf(bytes, lineEnd + 1, cursor.at) as ObjectId);
  const children: CacheTree[] = [];
  for (let child = 0; child < childCount; child++) children.push(readNode(cursor));
  return { name, entryCount, id, children };
}

function readCount(digits: string): number {
  if (!/^(?:-1|\d{1,9})$/.test(digits)) throw corrupt();
  return Number(digits);
}

function decodeName(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes);
  } catch (cause) {
    throw new GitFormatError('GIT_PATH_NOT_UTF8', 'a directory of the index is no UTF-8', { cause });
  }
}

/** The content of the extension TREE. */
export function encodeCacheTree(tree: CacheTree): Uint8Array {
  const parts: Uint8Array[] = [];
  collectNode(tree, encodeUtf8(tree.name), parts);
  return concatBytes(parts);
}

function collectNode({ entryCount, id, children }: CacheTree, name: Uint8Array, parts: Uint8Array[]): void {
  const known = id !== null && entryCount >= 0;
  const idBytes = new Uint8Array(known ? 20 : 0);
  if (known) writeHex(id, idBytes, 0);
  parts.push(name, encodeUtf8(`\0${known ? entryCount : -1} ${children.length}\n`), idBytes);
  const named = children.map((child) => ({ child, name: encodeUtf8(child.name) }));
  // git looks children up by length first
  named.sort((a, b) => a.name.length - b.name.length || compareBytes(a.name, b.name));
  for (const node of named) collectNode(node.child, node.name, parts);
}

/** The cache tree of an index that holds exactly the tree: every directory known. Reads each tree object once. */
export async function cacheTreeOf(reader: Pick<TreeReader, 'readTree'>, id: ObjectId): Promise<CacheTree> {
  return cacheNode(reader, '', id);
}

async function cacheNode(
  reader: Pick<TreeReader, 'readTree'>,
  name: string,
  id: ObjectId,
): Promise<CacheTree> {
  const entries = await reader.readTree(id);
  const folders = entries.filter(({ mode }) => mode === '040000');
  const children = await Promise.all(folders.map((folder) => cacheNode(reader, folder.name, folder.id)));
  const below = children.reduce((count, child) => count + child.entryCount, 0);
  return { name, entryCount: entries.length - folders.length + below, id, children };
}

/** The cache tree when the entries at `paths` change: the directories above them are no longer known, others still are. */
export function invalidateCacheTree(tree: CacheTree, paths: readonly string[]): CacheTree {
  if (paths.length === 0) return tree;
  const children = tree.children
    .filter(({ name }) => !paths.includes(name))
    .map((child) => {
      const inside = paths.filter((path) => path.startsWith(`${child.name}/`));
      return invalidateCacheTree(
        child,
        inside.map((path) => path.slice(child.name.length + 1)),
      );
    });
  return { name: tree.name, entryCount: -1, id: null, children };
}

function corrupt(): GitFormatError {
  return new GitFormatError('GIT_INDEX_CORRUPT', 'the index is damaged: its cache tree cannot be read', {
    hint: 'Run `git read-tree HEAD` to have it made anew; the work tree stays as it is.',
  });
}
