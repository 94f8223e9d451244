import type { Expression } from './expression.ts';

/** A piece of an expression; the `source` of all of them together is the expression. */
export type ExpressionToken =
  /** Exactly this character. */
  | { readonly kind: 'character'; readonly source: string; readonly character: string }
  /** One of several characters. */
  | { readonly kind: 'set'; readonly source: string }
  /** `^`, `$`, `\b`, `\B`. */
  | { readonly kind: 'assertion'; readonly source: string }
  | { readonly kind: 'reference'; readonly source: string }
  | { readonly kind: 'open'; readonly source: string; readonly isLookaround: boolean }
  | { readonly kind: 'close'; readonly source: string }
  | { readonly kind: 'or'; readonly source: string }
  | { readonly kind: 'quantifier'; readonly source: string; readonly least: number };

type Reader = readonly [pattern: RegExp, read: (source: string) => ExpressionToken];

const asSet = (source: string): ExpressionToken => ({ kind: 'set', source });

/** In this order, each where the last one ended. */
const COMMON: readonly Reader[] = [
  [/\|/y, (source) => ({ kind: 'or', source })],
  [/\)/y, (source) => ({ kind: 'close', source })],
  [
    /\((?:\?(?:[:=!]|<[=!]|<[^=!>][^>]*>)|(?!\?))/y,
    (source) => ({ kind: 'open', source, isLookaround: /[=!]$/.test(source) }),
  ],
  [/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y, (source) => ({ kind: 'quantifier', source, least: leastOf(source) })],
  [/[$^]|\\[bB]/y, (source) => ({ kind: 'assertion', source })],
  [/\.|\[\^?(?:\\[^]|[^\]\\])*\]|\\[dDsSwW]/y, asSet],
  // What stands for one character by its number or name is rare enough to be taken for a set of one.
  [/\\(?:u[\da-f]{4}|x[\da-f]{2}|[nrtvf]|0(?!\d))/iy, asSet],
  [/\\[^\da-z]/iy, (source) => ({ kind: 'character', source, character: source.slice(1) })],
];

const UNICODE: readonly Reader[] = [
  [/\\(?:k<[^>]*>|[1-9]\d*)/y, (source) => ({ kind: 'reference', source })],
  [/\\(?:p\{[^}]*\}|u\{[\da-f]+\}|c[a-z])/iy, asSet],
  [/[^\\([]/uy, (source) => ({ kind: 'character', source, character: source })],
];

/** Without the flag much has another meaning, which depends on what else is there: then nothing is understood. */
const PLAIN: readonly Reader[] = [
  [/[^\\([\ud800-\udfff]/y, (source) => ({ kind: 'character', source, character: source })],
];

/** `undefined` for an expression that is not wholly understood. It must be valid. */
export function tokenize({ source, flags }: Expression): readonly ExpressionToken[] | undefined {
  const readers = [...COMMON, ...(flags === 'u' ? UNICODE : PLAIN)];
  const tokens: ExpressionToken[] = [];
  for (let index = 0; index < source.length;) {
    const token = tokenAt(source, index, readers);
    if (token === undefined) return undefined;
    tokens.push(token);
    index += token.source.length;
  }
  return tokens;
}

function tokenAt(source: string, index: number, readers: readonly Reader[]): ExpressionToken | undefined {
  for (const [pattern, read] of readers) {
    pattern.lastIndex = index;
    const [matched] = pattern.exec(source) ?? [];
    if (matched !== undefined) return read(matched);
  }
  return undefined;
}

function leastOf(quantifier: string): number {
  if (quantifier.startsWith('{')) return Number.parseInt(quantifier.slice(1), 10);
  return quantifier.startsWith('+') ? 1 : 0;
}
