import { compileWildmatch, lowerAscii } from '@cleveragents/git-domain';

/** One line of an ignore file. */
export interface IgnorePattern {
  /** `!`: what matches is not ignored after all. */
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  /** Matched against the last part of the path rather than all of it below the file's folder. */
  readonly nameOnly: boolean;
  /** The texts are bytes: one character each. */
  readonly matches: (text: string) => boolean;
}

const WILDCARD = /[*?[\\]/;

/** The patterns of an ignore file, in order. */
export function parseIgnoreFile(bytes: Uint8Array, ignoreCase: boolean): readonly IgnorePattern[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  // the byte order mark of UTF-8, read as bytes
  const lines = text.replace(/^\u00ef\u00bb\u00bf/, '').split('\n');
  return lines.flatMap((line) => parseLine(line.replace(/\r$/, ''), ignoreCase) ?? []);
}

function parseLine(line: string, ignoreCase: boolean): IgnorePattern | null {
  if (line === '' || line.startsWith('#')) return null;
  const kept = withoutTrailingSpaces(line);
  const negated = kept.startsWith('!');
  const written = negated ? kept.slice(1) : kept;
  const directoriesOnly = written.endsWith('/');
  const pattern = directoriesOnly ? written.slice(0, -1) : written;
  const nameOnly = !pattern.includes('/');
  return { negated, directoriesOnly, nameOnly, matches: compile(pattern, nameOnly, ignoreCase) };
}

/** Spaces at the end do not count, unless a backslash stands before them. */
function withoutTrailingSpaces(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === ' ') continue;
    if (line[at] === '\\') {
      if (at + 1 === line.length) return line;
      at++;
    }
    end = at + 1;
  }
  return line.slice(0, end);
}

function compile(pattern: string, nameOnly: boolean, ignoreCase: boolean): IgnorePattern['matches'] {
  const anchored = nameOnly ? pattern : pattern.replace(/^\//, '');
  const fold = ignoreCase ? lowerAscii : (text: string): string => text;
  const folded = fold(anchored);
  if (!WILDCARD.test(folded)) return (text) => fold(text) === folded;
  const rest = folded.slice(1);
  if (nameOnly && folded.startsWith('*') && !WILDCARD.test(rest)) return (text) => fold(text).endsWith(rest);
  if (nameOnly) return compileWildmatch(anchored, { slashesCount: false, ignoreCase });
  // git compares what stands before the first wildcard by itself, so that the stars of `a**/b` stand at a beginning
  const literal = folded.slice(0, folded.search(WILDCARD));
  const matches = compileWildmatch(anchored.slice(literal.length), { slashesCount: true, ignoreCase });
  return (text) => fold(text.slice(0, literal.length)) === literal && matches(text.slice(literal.length));
}
