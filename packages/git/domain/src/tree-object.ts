import { decodeLatin1, decodeUtf8, encodeUtf8, hexOf, writeHex } from './bytes.ts';
import { GitFormatError } from './git-format.errors.ts';
import { isObjectId, type Mode, type ObjectId, type TreeEntry } from './objects.ts';
import { comparePaths, requireName } from './paths.ts';

const MODES: readonly string[] = ['040000', '100644', '100755', '120000', '160000'];
const SPACE = 0x20;
const SHA1_BYTES = 20;

/** Order of the entries of a tree object: by the bytes of the name, a directory's taken with a `/` at its end. */
export function compareTreeEntries(
  a: Pick<TreeEntry, 'name' | 'mode'>,
  b: Pick<TreeEntry, 'name' | 'mode'>,
): number {
  return comparePaths(sortKey(a), sortKey(b));
}

function sortKey({ name, mode }: Pick<TreeEntry, 'name' | 'mode'>): string {
  return mode === '040000' ? `${name}/` : name;
}

/**
 * The content of a tree object, without git's `tree <size>` header; entries may come in any order.
 *
 * @throws GitFormatError `GIT_PATH_REFUSED` for a name that git would not check out, `GIT_TREE_CORRUPT` for a name given
 *   twice, an unknown mode or a malformed id.
 */
export function encodeTree(entries: readonly TreeEntry[]): Uint8Array {
  const sorted = [...entries].sort(compareTreeEntries);
  const heads = sorted.map((entry) => encodeUtf8(`${entry.mode.replace(/^0/, '')} ${entry.name}\0`));
  requireWritable(sorted);
  const idBytes = (sorted[0]?.id.length ?? 0) / 2;
  const bytes = new Uint8Array(heads.reduce((length, head) => length + head.length + idBytes, 0));
  let offset = 0;
  sorted.forEach((entry, at) => {
    const head = heads[at] as Uint8Array;
    bytes.set(head, offset);
    writeHex(entry.id, bytes, offset + head.length);
    offset += head.length + idBytes;
  });
  return bytes;
}

function requireWritable(entries: readonly TreeEntry[]): void {
  const seen = new Set<string>();
  for (const { name, mode, id } of entries) {
    requireName(name);
    if (seen.has(name)) throw corrupt(`${JSON.stringify(name)} stands twice in one tree`, { name });
    if (!MODES.includes(mode)) throw corrupt(`${JSON.stringify(mode)} is no mode of git`, { name, mode });
    if (!isObjectId(id) || id.length !== entries[0]?.id.length)
      throw corrupt(`${JSON.stringify(id)} is no object id`, { name, id });
    seen.add(name);
  }
}

/**
 * The entries of a tree object's content, in git's order. Modes that git once wrote (`100664`) come out as git reads
 * them today (`100644`).
 *
 * @param idBytes 20, or 32 in a repository of SHA-256.
 * @throws GitFormatError `GIT_TREE_CORRUPT` when it ends early, is out of order, or has an unknown mode;
 *   `GIT_PATH_NOT_UTF8`; `GIT_PATH_REFUSED` for a name that git would not check out.
 */
export function decodeTree(bytes: Uint8Array, idBytes = SHA1_BYTES): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const space = bytes.indexOf(SPACE, offset);
    const end = bytes.indexOf(0, space + 1);
    if (space < 0 || end < 0 || end + idBytes >= bytes.length) throw corrupt('the tree ends inside an entry');
    const mode = readMode(decodeLatin1(bytes, offset, space));
    const name = readName(bytes.subarray(space + 1, end));
    entries.push({ name, mode, id: hexOf(bytes, end + 1, end + 1 + idBytes) as ObjectId });
    offset = end + 1 + idBytes;
  }
  requireOrder(entries);
  return entries;
}

function readMode(octal: string): Mode {
  const mode = /^[0-7]{5,6}$/.test(octal) ? canonicalMode(Number.parseInt(octal, 8)) : null;
  if (mode === null) throw corrupt(`${JSON.stringify(octal)} is no mode of git`, { mode: octal });
  return mode;
}

/** Mode bits as git keeps them: of a file's permissions only the owner's right to execute counts. `null`: no mode of git. */
export function canonicalMode(bits: number): Mode | null {
  switch (bits & 0o170000) {
    case 0o040000:
      return '040000';
    case 0o100000:
      return bits & 0o100 ? '100755' : '100644';
    case 0o120000:
      return '120000';
    case 0o160000:
      return '160000';
    default:
      return null;
  }
}

function readName(bytes: Uint8Array): string {
  let name: string;
  try {
    name = decodeUtf8(bytes);
  } catch (cause) {
    const raw = decodeLatin1(bytes);
    throw new GitFormatError('GIT_PATH_NOT_UTF8', `the name ${JSON.stringify(raw)} is no UTF-8`, {
      data: { latin1: raw },
      cause,
    });
  }
  requireName(name);
  return name;
}

function requireOrder(entries: readonly TreeEntry[]): void {
  entries.forEach((entry, at) => {
    const previous = entries[at - 1];
    if (previous && compareTreeEntries(previous, entry) >= 0)
      throw corrupt(`${JSON.stringify(entry.name)} is out of order`, { name: entry.name });
  });
  if (new Set(entries.map(({ name }) => name)).size !== entries.length)
    throw corrupt('a name stands twice in one tree');
}

function corrupt(message: string, data?: Readonly<Record<string, unknown>>): GitFormatError {
  return new GitFormatError('GIT_TREE_CORRUPT', message, { data });
}
