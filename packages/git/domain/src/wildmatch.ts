import { decodeLatin1, encodeUtf8 } from './bytes.ts';

/** A part of a pattern that takes exactly one character. */
type Single = (character: string) => boolean;
/** `star`: any run without a slash; `globstar`: any run; `folders`: nothing, or any run that ends in a slash. */
type Part = Single | 'star' | 'globstar' | 'folders';

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

/** Whether git's pattern for a file's name (one without a slash) matches it. */
export function matchesNamePattern(pattern: string, name: string): boolean {
  return matchesPattern(pattern, name, { slashesCount: false });
}

/** Whether git's pattern with slashes matches a whole path: `*` and `?` stop at slashes, `**` does not. */
export function matchesPathPattern(pattern: string, path: string): boolean {
  return matchesPattern(pattern, path, { slashesCount: true });
}

/** Takes at most pattern x text steps, whatever the pattern: no run of stars can make it explode. */
function matchesPattern(pattern: string, text: string, options: { slashesCount: boolean }): boolean {
  const parts = parsePattern(bytewise(pattern), options.slashesCount);
  if (parts === null) return false;
  const characters = bytewise(text);
  let reached = new Set([0]);
  for (const part of parts) {
    reached = step(part, reached, characters);
    if (reached.size === 0) return false;
  }
  return reached.has(characters.length);
}

/** One character per byte: to git `?` is a byte. */
function bytewise(text: string): readonly string[] {
  return [...decodeLatin1(encodeUtf8(text))];
}

/** Where a match may stand after `part`, given where it may stand before. */
function step(part: Part, from: ReadonlySet<number>, text: readonly string[]): Set<number> {
  const to = new Set<number>();
  for (const position of from) {
    if (typeof part === 'function') {
      const character = text[position];
      if (character !== undefined && part(character)) to.add(position + 1);
      continue;
    }
    for (let end = position; end <= text.length; end++) {
      if (part === 'folders' ? end === position || text[end - 1] === '/' : true) {
        if (part !== 'folders' && to.has(end)) break;
        to.add(end);
      }
      if (part === 'star' && text[end] === '/') break;
    }
  }
  return to;
}

/** `null`: a pattern that is broken, and matches nothing. */
function parsePattern(characters: readonly string[], slashesCount: boolean): readonly Part[] | null {
  const parts: Part[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    if (character === '?') parts.push((other) => !slashesCount || other !== '/');
    else if (character === '\\') {
      const escaped = characters[++at];
      if (escaped === undefined) return null;
      parts.push((other) => other === escaped);
    } else if (character === '[') {
      const bracket = parseBracket(characters, at + 1);
      if (bracket === null) return null;
      parts.push((other) => (!slashesCount || other !== '/') && bracket.takes(other));
      at = bracket.end;
    } else if (character !== '*') parts.push((other) => other === character);
    else {
      const stars = parseStars(characters, at, slashesCount);
      parts.push(stars.part);
      at = stars.end;
    }
  }
  return parts;
}

/** Two stars reach over slashes only where they stand alone between slashes; elsewhere they are one. */
function parseStars(
  pattern: readonly string[],
  start: number,
  slashesCount: boolean,
): { part: Part; end: number } {
  let end = start;
  while (pattern[end + 1] === '*') end++;
  if (!slashesCount) return { part: 'globstar', end };
  const before = pattern[start - 1];
  const after = pattern[end + 1];
  const alone = end > start && (before === undefined || before === '/');
  if (alone && after === '/') return { part: 'folders', end: end + 1 };
  return { part: alone && after === undefined ? 'globstar' : 'star', end };
}

/** @param start behind the `[`; `end` is at the `]`. */
function parseBracket(pattern: readonly string[], start: number): { takes: Single; end: number } | null {
  const negated = pattern[start] === '!' || pattern[start] === '^';
  const first = negated ? start + 1 : start;
  const accepts: Single[] = [];
  for (let at = first; at < pattern.length; at++) {
    if (pattern[at] === ']' && at > first)
      return { takes: (character) => accepts.some((accept) => accept(character)) !== negated, end: at };
    const item = parseBracketItem(pattern, at);
    if (item === null) return null;
    accepts.push(item.takes);
    at = item.end;
  }
  return null;
}

function parseBracketItem(pattern: readonly string[], start: number): { takes: Single; end: number } | null {
  if (pattern[start] === '[' && pattern[start + 1] === ':') {
    const close = pattern.indexOf(']', start + 2);
    const name = pattern.slice(start + 2, close - 1).join('');
    if (close > 0 && pattern[close - 1] === ':' && close - 1 >= start + 2) {
      const characters = CLASSES[name];
      return characters ? { takes: (character) => characters.test(character), end: close } : null;
    }
    return close < 0 ? null : { takes: (character) => character === '[', end: start };
  }
  const low = literalAt(pattern, start);
  if (low === null) return null;
  const isRange = pattern[low.end + 1] === '-' && ![undefined, ']'].includes(pattern[low.end + 2]);
  const high = isRange ? literalAt(pattern, low.end + 2) : low;
  if (high === null) return null;
  const [from, to] = [low.character.charCodeAt(0), high.character.charCodeAt(0)];
  return {
    takes: (character) => {
      const point = character.charCodeAt(0);
      return point >= from && point <= to;
    },
    end: high.end,
  };
}

function literalAt(pattern: readonly string[], at: number): { character: string; end: number } | null {
  const end = pattern[at] === '\\' ? at + 1 : at;
  const character = pattern[end];
  return character === undefined ? null : { character, end };
}
