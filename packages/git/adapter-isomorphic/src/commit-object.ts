import { type Commit, isObjectId, type ObjectId, type Signature } from '@cleveragents/git-domain';

/** `Name <mail> 1700000000 +0100`, as commits and reflogs hold it. */
export function formatSignature({ name, email, timestampSeconds, offsetMinutes }: Signature): string {
  const minutes = Math.abs(offsetMinutes);
  const digits = (Math.floor(minutes / 60) * 100 + (minutes % 60)).toString().padStart(4, '0');
  return `${name} <${email}> ${timestampSeconds.toString()} ${offsetMinutes < 0 ? '-' : '+'}${digits}`;
}

const SIGNATURE = /^(.*?) ?<([^>]*)> (-?\d+) ([+-])(\d{2})(\d{2})$/;

/** What stands in old or odd commits and is no date reads as the epoch, as git has it. */
function parseSignature(text: string): Signature {
  const match = SIGNATURE.exec(text);
  if (!match) {
    const [, name = text, email = ''] = /^(.*?) ?<([^>]*)>/.exec(text) ?? [];
    return { name, email, timestampSeconds: 0, offsetMinutes: 0 };
  }
  const [, name = '', email = '', seconds, sign, hours, minutes] = match;
  const offset = Number(hours) * 60 + Number(minutes);
  return {
    name,
    email,
    timestampSeconds: Number(seconds),
    offsetMinutes: sign === '-' ? -offset || 0 : offset,
  };
}

/** The content of a commit object, without git's `commit <size>` header. */
export function encodeCommit({ tree, parents, author, committer, message }: Commit): Buffer {
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${formatSignature(author)}`,
    `committer ${formatSignature(committer)}`,
  ];
  return Buffer.from(`${lines.join('\n')}\n\n${message}`);
}

/** Null for bytes that are no commit. Headers that {@link Commit} has no place for (`gpgsig`, `encoding`) are left out. */
export function decodeCommit(bytes: Buffer): Commit | null {
  const end = bytes.indexOf('\n\n');
  const head = bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
  const values = (key: string): readonly string[] =>
    head.split('\n').flatMap((line) => (line.startsWith(`${key} `) ? [line.slice(key.length + 1)] : []));
  const [tree] = values('tree');
  const [author] = values('author');
  const [committer] = values('committer');
  const parents = values('parent');
  if (tree === undefined || !isObjectId(tree) || !parents.every(isObjectId)) return null;
  if (author === undefined || committer === undefined) return null;
  const message = end < 0 ? '' : decodeMessage(bytes.subarray(end + 2), values('encoding')[0]);
  return {
    tree,
    parents: parents as readonly ObjectId[],
    author: parseSignature(author),
    committer: parseSignature(committer),
    message,
  };
}

function decodeMessage(bytes: Buffer, encoding: string | undefined): string {
  const isLatin1 = /^(?:iso-?8859-1|latin-?1)$/i.test(encoding ?? '');
  return bytes.toString(isLatin1 ? 'latin1' : 'utf8');
}
