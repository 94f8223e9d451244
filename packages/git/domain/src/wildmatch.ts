import { decodeLatin1, encodeUtf8 } from './bytes.ts';

export interface WildmatchOptions {
  /** `*` and `?` stop at slashes, and `**` between slashes does not: for patterns that have a slash. */
  readonly slashesCount: boolean;
  /** Letters of ASCII match in either case: `core.ignorecase`. */
  readonly ignoreCase: boolean;
}

/** Whether git's pattern for a file's name (one without a slash) matches it. */
export function matchesNamePattern(pattern: string, name: string): boolean {
  return compileWildmatch(bytewise(pattern), { slashesCount: false, ignoreCase: false })(bytewise(name));
}

/** Whether git's pattern with slashes matches a whole path: `*` and `?` stop at slashes, `**` does not. */
export function matchesPathPattern(pattern: string, path: string): boolean {
  return compileWildmatch(bytewise(pattern), { slashesCount: true, ignoreCase: false })(bytewise(path));
}

/** One character per byte: to git `?` is a byte. */
function bytewise(text: string): string {
  return /^[\x00-\x7f]*$/.test(text) ? text : decodeLatin1(encodeUtf8(text));
}

/**
 * A test of texts for one of git's patterns; in both, each character stands for a byte. Takes at most pattern x text steps for
 * a pattern with many stars, and little more for others: no run of stars can make it explode.
 */
export function compileWildmatch(pattern: string, options: WildmatchOptions): (text: string) => boolean {
  const fold = options.ignoreCase ? lowerAscii : (text: string): string => text;
  const parts = parsePattern(fold(pattern), options);
  if (parts === null) return () => false;
  const matches =
    parts.filter(({ takes }) => takes !== 'one').length > MOST_STARS
      ? walker(parts)
      : expression(parts.map((part) => part.expression).join(''));
  return (text) => matches(fold(text));
}

/** To git a case is one of ASCII only. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Beyond so many, an expression could take time that grows with a high power of the text's length. */
const MOST_STARS = 3;

interface Part {
  /** `star`: any run without a slash; `globstar`: any run; `folders`: nothing, or any run that ends in a slash. */
  readonly takes: 'one' | 'star' | 'globstar' | 'folders';
  readonly expression: string;
}

const STAR: Part = { takes: 'star', expression: '[^/]*' };
const GLOBSTAR: Part = { takes: 'globstar', expression: '[^]*' };
const FOLDERS: Part = { takes: 'folders', expression: '(?:[^]*/)?' };

type Matches = (text: string) => boolean;

function expression(source: string): Matches {
  const whole = new RegExp(`^${source}$`);
  return (text) => whole.test(text);
}

function walker(parts: readonly Part[]): Matches {
  const steps = parts.map(({ takes, expression: source }) =>
    takes === 'one' ? stepOver(expression(source)) : reachOver(takes),
  );
  return (text) => {
    let reached = new Set([0]);
    for (const step of steps) {
      reached = step(reached, text);
      if (reached.size === 0) return false;
    }
    return reached.has(text.length);
  };
}

/** Where a match may stand after a part, given where it may stand before. */
type Step = (from: ReadonlySet<number>, text: string) => Set<number>;

function stepOver(accepts: Matches): Step {
  return (from, text) =>
    new Set(
      [...from]
        .filter((position) => position < text.length && accepts(text[position] as string))
        .map((position) => position + 1),
    );
}

function reachOver(takes: 'star' | 'globstar' | 'folders'): Step {
  return (from, text) => {
    const to = new Set<number>();
    for (const position of from)
      for (let end = position; end <= text.length; end++) {
        if (takes === 'folders' && end !== position && text[end - 1] !== '/') continue;
        if (takes !== 'folders' && to.has(end)) break;
        to.add(end);
        if (takes === 'star' && text[end] === '/') break;
      }
    return to;
  };
}

/** Null for a pattern that is broken, and matches nothing. */
function parsePattern(pattern: string, options: WildmatchOptions): readonly Part[] | null {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] as string;
    if (character === '*') {
      const stars = parseStars(pattern, at, options);
      parts.push(stars.part);
      at = stars.end;
      continue;
    }
    const piece = parseOne(pattern, at, options);
    if (piece === null) return null;
    parts.push({ takes: 'one', expression: piece.text });
    at = piece.end;
  }
  return parts;
}

/** Two stars reach over slashes only where they stand alone between slashes; elsewhere they are one. */
function parseStars(
  pattern: string,
  start: number,
  { slashesCount }: WildmatchOptions,
): { readonly part: Part; readonly end: number } {
  let end = start;
  while (pattern[end + 1] === '*') end++;
  if (!slashesCount) return { part: GLOBSTAR, end };
  const alone = end > start && (start === 0 || pattern[start - 1] === '/');
  if (alone && pattern[end + 1] === '/') return { part: FOLDERS, end: end + 1 };
  const isLast = end + 1 === pattern.length;
  return { part: alone && (isLast || pattern.startsWith('\\/', end + 1)) ? GLOBSTAR : STAR, end };
}

/** An expression for a piece of the pattern. */
interface Piece {
  readonly text: string;
  /** Where its last character stands. */
  readonly end: number;
}

/** What takes one character. */
function parseOne(pattern: string, at: number, options: WildmatchOptions): Piece | null {
  const character = pattern[at];
  if (character === '[') return parseBracket(pattern, at + 1, options);
  if (character === '?') return { text: options.slashesCount ? '[^/]' : '[^]', end: at };
  const plain = characterAt(pattern, at);
  return plain && { text: literal(plain.text), end: plain.end };
}

function literal(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

/** @param start behind the `[`; `end` is at the `]`. Null for a bracket that is broken. */
function parseBracket(pattern: string, start: number, options: WildmatchOptions): Piece | null {
  const negated = pattern[start] === '!' || pattern[start] === '^';
  const first = negated ? start + 1 : start;
  let members = '';
  for (let at = first; at < pattern.length; at++) {
    if (pattern[at] === ']' && at > first) {
      const slash = options.slashesCount ? '(?!/)' : '';
      return { text: `${slash}[${negated ? '^' : ''}${members}]`, end: at };
    }
    const item = bracketItem(pattern, at, options.ignoreCase);
    if (item === null) return null;
    members += item.text;
    at = item.end;
  }
  return null;
}

function bracketItem(pattern: string, start: number, ignoreCase: boolean): Piece | null {
  if (pattern.startsWith('[:', start)) {
    const close = pattern.indexOf(']', start + 2);
    if (close < 0) return null;
    if (close > start + 2 && pattern[close - 1] === ':')
      return namedClass(pattern.slice(start + 2, close - 1), close, ignoreCase);
    return { text: literal('['), end: start };
  }
  const low = characterAt(pattern, start);
  if (low === null) return null;
  const isRange = pattern[low.end + 1] === '-' && ![undefined, ']'].includes(pattern[low.end + 2]);
  if (!isRange) return { text: literal(low.text), end: low.end };
  const high = characterAt(pattern, low.end + 2);
  if (high === null) return null;
  // an empty range matches nothing, but as an expression it would be an error
  return { text: low.text > high.text ? '' : `${literal(low.text)}-${literal(high.text)}`, end: high.end };
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[A-Fa-f0-9]/,
};

function namedClass(name: string, end: number, ignoreCase: boolean): Piece | null {
  const members = CLASSES[ignoreCase && name === 'upper' ? 'alpha' : name];
  return members === undefined ? null : { text: members.source.slice(1, -1), end };
}

/** A character that stands for itself, with a backslash before it or without. */
function characterAt(pattern: string, at: number): Piece | null {
  const end = pattern[at] === '\\' ? at + 1 : at;
  const character = pattern[end];
  return character === undefined ? null : { text: character, end };
}
