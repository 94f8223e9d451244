import { FileToolError } from './file-tool.errors.ts';

const MOST_CHARACTERS = 1000;
const MOST_ALTERNATIVES = 200;

/** Whether a path, POSIX and relative, is meant by a pattern. */
export type PathPredicate = (path: string) => boolean;

/**
 * Globs with `*`, `?`, `[a-z]`, `[!a]`, `{a,b}`, `**` as a whole segment, and `\` before a literal character. `*` also
 * matches a leading dot. A pattern without `/` is matched with the last name of the path. Each match takes time
 * proportional to the product of both lengths at most: there is no pattern that hangs.
 *
 * @throws FileToolError `PATTERN_INVALID` for an absolute pattern, one with `..`, and one too large
 */
export function compileGlob(pattern: string): PathPredicate {
  if (pattern === '') throw invalid(pattern, 'is empty');
  if (pattern.length > MOST_CHARACTERS)
    throw invalid(pattern.slice(0, 40), `is longer than ${MOST_CHARACTERS} characters`);
  if (pattern.startsWith('/')) throw invalid(pattern, 'is absolute: a path traversal');
  const alternatives = expandBraces(pattern).map((alternative) => {
    const segments = alternative
      .replace(/^(?:\.\/)+/, '')
      .split('/')
      .filter((segment) => segment !== '');
    if (segments.includes('..')) throw invalid(pattern, 'leads out with ..: a path traversal');
    return segments.map(compileSegment);
  });
  const baseNameOnly = !pattern.includes('/');
  return (path) => {
    const names = path.split('/').map((name) => Array.from(name));
    const subject = baseNameOnly ? names.slice(-1) : names;
    return alternatives.some((segments) => matchesSegments(segments, subject));
  };
}

function invalid(pattern: string, problem: string): FileToolError {
  return new FileToolError('PATTERN_INVALID', `The pattern ${JSON.stringify(pattern)} ${problem}`, {
    hint: 'Give a glob relative to the directory, such as "*.ts" or "src/**/*.ts".',
  });
}

type Piece =
  | { readonly kind: 'any' }
  | { readonly kind: 'one' }
  | {
      readonly kind: 'set';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    }
  | { readonly kind: 'literal'; readonly character: string };

/** `**`, or the pieces of one segment. */
export type GlobSegment = 'any-segments' | readonly Piece[];

export function compileSegment(segment: string): GlobSegment {
  if (segment === '**') return 'any-segments';
  const characters = Array.from(segment);
  const pieces: Piece[] = [];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? '';
    const set = character === '[' ? readSet(characters, index) : undefined;
    if (set !== undefined) {
      pieces.push(set.piece);
      index = set.end;
    } else if (character === '*') {
      if (pieces.at(-1)?.kind !== 'any') pieces.push({ kind: 'any' });
    } else if (character === '?') pieces.push({ kind: 'one' });
    else if (character === '\\' && index + 1 < characters.length)
      pieces.push({ kind: 'literal', character: characters[++index] ?? '' });
    else pieces.push({ kind: 'literal', character });
  }
  return pieces;
}

/** `[...]` from its bracket on, or `undefined` where it is never closed and so a plain character. */
function readSet(characters: readonly string[], start: number): { piece: Piece; end: number } | undefined {
  let index = start + 1;
  const negated = characters[index] === '!' || characters[index] === '^';
  if (negated) index++;
  const ranges: (readonly [string, string])[] = [];
  for (let first = true; index < characters.length; first = false) {
    if (characters[index] === ']' && !first) return { piece: { kind: 'set', negated, ranges }, end: index };
    if (characters[index] === '\\') index++;
    const from = characters[index++] ?? '';
    let to = from;
    if (characters[index] === '-' && index + 1 < characters.length && characters[index + 1] !== ']') {
      index++;
      if (characters[index] === '\\') index++;
      to = characters[index++] ?? '';
    }
    ranges.push([from, to]);
  }
  return undefined;
}

function matchesPiece(piece: Piece, character: string): boolean {
  if (piece.kind === 'literal') return piece.character === character;
  if (piece.kind === 'set')
    return piece.ranges.some(([from, to]) => from <= character && character <= to) !== piece.negated;
  return true;
}

export function matchesSegment(segment: GlobSegment, name: readonly string[]): boolean {
  return segment === 'any-segments' || matchesWith(segment, name, ({ kind }) => kind === 'any', matchesPiece);
}

/** `**` at the end stands for at least one name: `a/**` is what lies in `a`, not `a`. */
export function matchesSegments(
  segments: readonly GlobSegment[],
  names: readonly (readonly string[])[],
): boolean {
  const last = segments.at(-1);
  if (last === 'any-segments' && segments.length > 1)
    return (
      names.length > 0 &&
      matchesWith([...segments.slice(0, -1), [{ kind: 'any' }], last], names, isAny, matchesSegment)
    );
  return matchesWith(segments, names, isAny, matchesSegment);
}

function isAny(segment: GlobSegment): boolean {
  return segment === 'any-segments';
}

/** Wildcard matching that never goes back beyond the last wildcard: going further cannot help. */
function matchesWith<Pattern, Subject>(
  patterns: readonly Pattern[],
  subjects: readonly Subject[],
  isWildcard: (pattern: Pattern) => boolean,
  matches: (pattern: Pattern, subject: Subject) => boolean,
): boolean {
  let [pattern, subject] = [0, 0];
  let wildcard = -1;
  let retry = 0;
  while (subject < subjects.length) {
    const current = patterns[pattern];
    if (current !== undefined && isWildcard(current)) {
      wildcard = pattern++;
      retry = subject;
    } else if (current !== undefined && matches(current, subjects[subject] as Subject)) {
      pattern++;
      subject++;
    } else if (wildcard >= 0) {
      pattern = wildcard + 1;
      subject = ++retry;
    } else return false;
  }
  return patterns.slice(pattern).every(isWildcard);
}

function expandBraces(pattern: string): readonly string[] {
  let alternatives = [''];
  let index = 0;
  while (index < pattern.length) {
    const group = pattern[index] === '{' ? readBraces(pattern, index) : undefined;
    const escaped = pattern[index] === '\\' ? 2 : 1;
    const options = group?.options.flatMap(expandBraces) ?? [pattern.slice(index, index + escaped)];
    alternatives = alternatives.flatMap((start) => options.map((option) => start + option));
    if (alternatives.length > MOST_ALTERNATIVES)
      throw invalid(pattern.slice(0, 40), `has more than ${MOST_ALTERNATIVES} alternatives`);
    index = group?.end ?? index + escaped;
  }
  return alternatives;
}

/** `{a,b}` from its brace on, or `undefined` where it has no comma or is never closed, and so is plain text. */
function readBraces(pattern: string, start: number): { options: readonly string[]; end: number } | undefined {
  const options: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let index = start; index < pattern.length; index++) {
    const character = pattern[index];
    if (character === '\\') index++;
    else if (character === '{') depth++;
    else if ((character === ',' && depth === 1) || (character === '}' && depth === 1)) {
      options.push(pattern.slice(from, index));
      from = index + 1;
      if (character === '}') return options.length > 1 ? { options, end: index + 1 } : undefined;
    } else if (character === '}') depth--;
  }
  return undefined;
}
