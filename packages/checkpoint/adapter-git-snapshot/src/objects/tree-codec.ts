import { faultOfName, type ObjectId } from '@cleveragents/git-domain';

/** A member of a directory, under the name that it has on disk. */
export interface TreeMember {
  readonly name: string;
  readonly kind: 'file' | 'link' | 'directory';
  /** Permission bits; 0 for a link. */
  readonly mode: number;
  readonly id: ObjectId;
}

/** One line of a tree object. */
interface StoredEntry {
  readonly name: string;
  readonly mode: '100644' | '100755' | '120000' | '40000';
  readonly id: ObjectId;
}

/** The permission bits that a member has unless the modes of its tree say otherwise. */
interface DefaultModes {
  readonly plain: number;
  readonly executable: number;
  readonly directory: number;
}

/**
 * In a tree, the entry that holds the permission bits git's own modes do not tell. A file that has this name on disk, or one
 * that git takes for its own (`.GIT`), is stored under an escaped name: this one, `+`, and the name.
 */
const MODES_NAME = '.cleveragents-modes';
const ESCAPE = `${MODES_NAME}+`;
const GIT_DEFAULTS: DefaultModes = { plain: 0o644, executable: 0o755, directory: 0o755 };
const FIRST_LINE_OF_GIT = '644 755 755';
const ID_BYTES = 20;

export interface EncodedTree {
  readonly bytes: Buffer;
  /** Where the modes differ from git's: the content of a blob that the tree needs. */
  readonly modes: Buffer | null;
}

/** @param idOfBlob of the modes, when there are any. */
export function encodeTree(
  members: readonly TreeMember[],
  idOfBlob: (bytes: Buffer) => ObjectId,
): EncodedTree {
  const modes = encodeModes(members);
  const entries: StoredEntry[] = members.map((member) => ({
    name: storedName(member.name),
    mode: storedMode(member),
    id: member.id,
  }));
  if (modes !== null) entries.push({ name: MODES_NAME, mode: '100644', id: idOfBlob(modes) });
  return { bytes: encodeEntries(sortedEntries(entries)), modes };
}

/** As git sorts: by bytes, a directory as if its name ended in a slash. */
function sortedEntries(entries: readonly StoredEntry[]): readonly StoredEntry[] {
  const keyed = entries.map((entry) => ({
    entry,
    key: entry.mode === '40000' ? `${entry.name}/` : entry.name,
  }));
  // Bytes and code units sort alike unless a name has surrogates.
  const isPlain = keyed.every(({ key }) => !/[\ud800-\udfff]/.test(key));
  return keyed
    .sort((a, b) =>
      isPlain ? (a.key < b.key ? -1 : 1) : Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)),
    )
    .map(({ entry }) => entry);
}

function encodeEntries(entries: readonly StoredEntry[]): Buffer {
  const bytes = Buffer.allocUnsafe(
    entries.reduce((sum, { mode, name }) => sum + mode.length + Buffer.byteLength(name) + 2 + ID_BYTES, 0),
  );
  let at = 0;
  for (const { mode, name, id } of entries) {
    at += bytes.write(mode, at, 'latin1');
    bytes[at++] = 0x20;
    at += bytes.write(name, at);
    bytes[at++] = 0;
    at += bytes.write(id, at, 'hex');
  }
  return bytes;
}

/** @param readBlob is asked for the modes, when the tree has any. Members come in no particular order. */
export function decodeTree(bytes: Buffer, readBlob: (id: ObjectId) => Buffer): readonly TreeMember[] {
  const entries = decodeEntries(bytes);
  const own = entries.find(({ name }) => name === MODES_NAME);
  const { defaults, exceptions } = own === undefined ? NO_MODES : decodeModes(readBlob(own.id));
  return entries
    .filter((entry) => entry !== own)
    .map(({ name: stored, mode, id }) => {
      const name = diskName(stored);
      if (mode === '120000') return { name, kind: 'link', mode: 0, id };
      const kind = mode === '40000' ? 'directory' : 'file';
      return { name, kind, mode: exceptions.get(name) ?? defaultMode(mode, defaults), id };
    });
}

/** What the tree needs, for who marks what is needed: without a look at the modes. */
export function referencesOf(bytes: Buffer): {
  readonly trees: readonly ObjectId[];
  readonly blobs: readonly ObjectId[];
} {
  const entries = decodeEntries(bytes);
  return {
    trees: entries.filter(({ mode }) => mode === '40000').map(({ id }) => id),
    blobs: entries.filter(({ mode }) => mode !== '40000').map(({ id }) => id),
  };
}

function decodeEntries(bytes: Buffer): readonly StoredEntry[] {
  const entries: StoredEntry[] = [];
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    entries.push({
      mode: bytes.toString('latin1', at, space) as StoredEntry['mode'],
      name: bytes.toString('utf8', space + 1, end),
      id: bytes.toString('hex', end + 1, end + 1 + ID_BYTES) as ObjectId,
    });
    at = end + 1 + ID_BYTES;
  }
  return entries;
}

function storedName(name: string): string {
  return name.startsWith(MODES_NAME) || faultOfName(name) !== null ? ESCAPE + name : name;
}

function diskName(stored: string): string {
  return stored.startsWith(ESCAPE) ? stored.slice(ESCAPE.length) : stored;
}

function storedMode({ kind, mode }: TreeMember): StoredEntry['mode'] {
  if (kind === 'directory') return '40000';
  if (kind === 'link') return '120000';
  return mode & 0o100 ? '100755' : '100644';
}

const NO_MODES = { defaults: GIT_DEFAULTS, exceptions: new Map<string, number>() };

/** First line: the modes that most members of each kind have; then a line for each other one. The same tree, the same bytes. */
function encodeModes(members: readonly TreeMember[]): Buffer | null {
  const withModes = members.filter(({ kind }) => kind !== 'link');
  const usual = (mode: StoredEntry['mode'], fallback: number): number =>
    mostFrequent(withModes.filter((member) => storedMode(member) === mode).map((member) => member.mode)) ??
    fallback;
  const defaults: DefaultModes = {
    plain: usual('100644', GIT_DEFAULTS.plain),
    executable: usual('100755', GIT_DEFAULTS.executable),
    directory: usual('40000', GIT_DEFAULTS.directory),
  };
  const exceptions = withModes
    .filter((member) => member.mode !== defaultMode(storedMode(member), defaults))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const first = [defaults.plain, defaults.executable, defaults.directory].map(octal).join(' ');
  if (exceptions.length === 0 && first === FIRST_LINE_OF_GIT) return null;
  const lines = exceptions.map(({ name, mode }) => `${octal(mode)} ${JSON.stringify(name)}`);
  return Buffer.from([first, ...lines, ''].join('\n'));
}

function decodeModes(bytes: Buffer): typeof NO_MODES {
  const [first = '', ...lines] = bytes.toString('utf8').split('\n');
  const [plain = 0, executable = 0, directory = 0] = first.split(' ').map((one) => Number.parseInt(one, 8));
  const exceptions = lines
    .filter((line) => line !== '')
    .map((line) => {
      const space = line.indexOf(' ');
      const name = JSON.parse(line.slice(space + 1)) as string;
      return [name, Number.parseInt(line.slice(0, space), 8)] as const;
    });
  return { defaults: { plain, executable, directory }, exceptions: new Map(exceptions) };
}

function defaultMode(mode: StoredEntry['mode'], defaults: DefaultModes): number {
  if (mode === '40000') return defaults.directory;
  return mode === '100755' ? defaults.executable : defaults.plain;
}

/** The lowest of several that are equally frequent. */
function mostFrequent(modes: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const mode of modes) counts.set(mode, (counts.get(mode) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || a - b)[0]?.[0];
}

function octal(mode: number): string {
  return mode.toString(8);
}
