import { matchesNamePattern, matchesPathPattern } from '@cleveragents/git-domain';

export interface WildmatchOptions {
  /** `*` and `?` stop at slashes, and `**` between slashes does not: for patterns that have a slash. */
  readonly slashesCount: boolean;
  /** Letters of ASCII match in either case: `core.ignorecase`. */
  readonly ignoreCase: boolean;
}

/** Beyond so many, an expression could take time that grows with a high power of the path's length. */
const MOST_STARS = 3;

/** A test of texts in which each character stands for a byte, for a pattern of the same kind. */
export function compileWildmatch(pattern: string, options: WildmatchOptions): (text: string) => boolean {
  const folded = options.ignoreCase ? lowerAscii(pattern) : pattern;
  const source = toExpression(folded, options);
  if (source === null) return () => false;
  if (source.stars > MOST_STARS) return slowMatch(folded, options);
  const expression = new RegExp(`^${source.text}$`);
  return options.ignoreCase ? (text) => expression.test(lowerAscii(text)) : (text) => expression.test(text);
}

/** To git a case is one of ASCII only. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The domain's own matcher, which takes pattern times text steps at most. */
function slowMatch(
  pattern: string,
  { slashesCount, ignoreCase }: WildmatchOptions,
): (text: string) => boolean {
  const matches = slashesCount ? matchesPathPattern : matchesNamePattern;
  const utf8 = (text: string): string => Buffer.from(text, 'latin1').toString();
  return (text) => matches(utf8(pattern), utf8(ignoreCase ? lowerAscii(text) : text));
}

interface Expression {
  readonly text: string;
  readonly stars: number;
}

/** Null for a pattern that is broken, and matches nothing. */
function toExpression(pattern: string, options: WildmatchOptions): Expression | null {
  let text = '';
  let stars = 0;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] as string;
    if (character === '\\') {
      const escaped = pattern[++at];
      if (escaped === undefined) return null;
      text += literal(escaped);
    } else if (character === '?') text += options.slashesCount ? '[^/]' : '[^]';
    else if (character === '[') {
      const bracket = toClass(pattern, at + 1, options);
      if (bracket === null) return null;
      text += bracket.text;
      at = bracket.end;
    } else if (character === '*') {
      const run = toStars(pattern, at, options);
      text += run.text;
      stars++;
      at = run.end;
    } else text += literal(character);
  }
  return { text, stars };
}

function literal(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

interface Piece {
  readonly text: string;
  /** Where its last character stands. */
  readonly end: number;
}

/** Two stars reach over slashes only where they stand alone between slashes; elsewhere they are one. */
function toStars(pattern: string, start: number, { slashesCount }: WildmatchOptions): Piece {
  let end = start;
  while (pattern[end + 1] === '*') end++;
  if (!slashesCount) return { text: '[^]*', end };
  const alone = end > start && (start === 0 || pattern[start - 1] === '/');
  if (alone && pattern[end + 1] === '/') return { text: '(?:[^]*/)?', end: end + 1 };
  return { text: alone && end + 1 === pattern.length ? '[^]*' : '[^/]*', end };
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

/** @param start behind the `[`; `end` is at the `]`. Null for a bracket that is broken. */
function toClass(pattern: string, start: number, options: WildmatchOptions): Piece | null {
  const negated = pattern[start] === '!' || pattern[start] === '^';
  const first = negated ? start + 1 : start;
  let members = '';
  for (let at = first; at < pattern.length; at++) {
    if (pattern[at] === ']' && at > first) {
      const slash = options.slashesCount ? '(?!/)' : '';
      return { text: `${slash}[${negated ? '^' : ''}${members}]`, end: at };
    }
    const item = classItem(pattern, at, options.ignoreCase);
    if (item === null) return null;
    members += item.text;
    at = item.end;
  }
  return null;
}

function classItem(pattern: string, start: number, ignoreCase: boolean): Piece | null {
  if (pattern.startsWith('[:', start)) {
    const close = pattern.indexOf(']', start + 2);
    if (close < 0) return null;
    if (close > start + 2 && pattern[close - 1] === ':')
      return namedClass(pattern.slice(start + 2, close - 1), close, ignoreCase);
    return { text: literal('['), end: start };
  }
  const low = literalAt(pattern, start);
  if (low === null) return null;
  const isRange = pattern[low.end + 1] === '-' && ![undefined, ']'].includes(pattern[low.end + 2]);
  if (!isRange) return { text: literal(low.text), end: low.end };
  const high = literalAt(pattern, low.end + 2);
  if (high === null) return null;
  // an empty range matches nothing, but as an expression it would be an error
  return { text: low.text > high.text ? '' : `${literal(low.text)}-${literal(high.text)}`, end: high.end };
}

function namedClass(name: string, end: number, ignoreCase: boolean): Piece | null {
  const members = CLASSES[ignoreCase && name === 'upper' ? 'alpha' : name];
  return members === undefined ? null : { text: members.source.slice(1, -1), end };
}

function literalAt(pattern: string, at: number): Piece | null {
  const end = pattern[at] === '\\' ? at + 1 : at;
  const character = pattern[end];
  return character === undefined ? null : { text: character, end };
}
