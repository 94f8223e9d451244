// Where a path that stands in the middle of a text begins and ends (R8). Every function looks at a bounded stretch of text,
// or at one that ends at the previous border, so that scanning a text stays linear whatever it holds.

const OTHER = 0;
const SPACE = 1;
const QUOTE = 2;
const MARK = 4;
const CLOSING = 8;
const SENTENCE = 16;
const WORD = 32;
const BORDER = SPACE | QUOTE | MARK | CLOSING;

const CLASSES = new Uint8Array(128);
const classify = (characters: string, kind: number): void => {
  for (const character of characters) CLASSES[character.charCodeAt(0)] = kind;
};
for (let code = 0; code <= 0x20; code += 1) CLASSES[code] = SPACE;
classify('\x7f', SPACE);
classify('"\'`', QUOTE);
classify('=:,;|&([{<>', MARK);
classify(')]}', CLOSING);
classify('.!?', SENTENCE);
classify('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_', WORD);

const SPACE_BEYOND_ASCII = /[\p{Z}\p{Cc}\u200b\ufeff]/u;
const PUNCTUATION_BEYOND_ASCII = /\p{P}/u;
const STRING_PREFIX = /(?:^|[\s=:,;|&([{<>+"'`])[bfruBFRUL]{1,2}$/;
const LETTER = /[A-Za-z]/;
const ESCAPE_LETTERS = 'bfnrtv';
const AFTER_BACKSLASH = `${ESCAPE_LETTERS}uxe0"'\`\\/`;
const ESCAPE_SPELLINGS = ['\x1b', '\\u001b', '\\u001B', '\\x1b', '\\x1B', '\\033', '\\e'];
const SLASH = 0x2f;
const DOT = 0x2e;
const BACKSLASH = 0x5c;
const ESCAPE = 0x1b;

function classAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < 128) return CLASSES[code] ?? OTHER;
  const character = text.charAt(index);
  if (SPACE_BEYOND_ASCII.test(character)) return SPACE;
  return PUNCTUATION_BEYOND_ASCII.test(character) ? MARK : OTHER;
}

/** How sure it is that a path may begin: `soft` borders may also stand inside a URL. */
export type Border = 'none' | 'soft' | 'hard';

/** Whether a path that begins at `index` begins a word of its own. */
export function borderBefore(text: string, index: number): Border {
  if (index === 0) return 'hard';
  const before = index - 1;
  if (text.charCodeAt(index) === BACKSLASH && text.charCodeAt(before) === ESCAPE) return 'none';
  switch (classAt(text, before)) {
    case SPACE:
      return 'hard';
    case QUOTE:
      return opensQuote(text, before) ? (text.charAt(before) === "'" ? 'soft' : 'hard') : 'none';
    case MARK:
      return text.charAt(before) === ':' && endsDrive(text, before) ? 'none' : 'soft';
    default:
      return endsEscape(text, index) || endsColour(text, index) || endsPrefix(text, before) ? 'hard' : 'none';
  }
}

/** `"$HOME"/x` closes a quote, `r"/x"` and `\"/x\"` open one. */
function opensQuote(text: string, quote: number): boolean {
  let before = quote - 1;
  while (before >= 0 && quote - before < 16 && text.charCodeAt(before) === BACKSLASH) before -= 1;
  if (before < 0) return true;
  const kind = classAt(text, before);
  if (kind === CLOSING || text.charCodeAt(before) >= 128) return kind === MARK || kind === SPACE;
  if (kind !== WORD) return text.charCodeAt(before) !== SLASH;
  return endsEscape(text, before + 1) || STRING_PREFIX.test(text.slice(Math.max(0, before - 3), before + 1));
}

/** The colon of `C:`, so that `C:/x` is not taken for a list. */
function endsDrive(text: string, colon: number): boolean {
  if (colon === 0 || !LETTER.test(text.charAt(colon - 1))) return false;
  return colon === 1 || (classAt(text, colon - 2) & (SPACE | QUOTE | MARK)) !== 0;
}

/** `\n` and its like as JSON spells them; `\u0022`, when the character it stands for is a border; the end of a terminal's string. */
function endsEscape(text: string, index: number): boolean {
  const last = text.charAt(index - 1);
  if (last === '\\') return text.charCodeAt(index - 2) === ESCAPE;
  if (ESCAPE_LETTERS.includes(last) && text.charCodeAt(index - 2) === BACKSLASH) return true;
  if (index < 6 || text.charCodeAt(index - 6) !== BACKSLASH) return false;
  const [, hex] = /^\\u([0-9a-fA-F]{4})$/.exec(text.slice(index - 6, index)) ?? [];
  if (hex === undefined) return false;
  return (classAt(String.fromCharCode(Number.parseInt(hex, 16)), 0) & (SPACE | QUOTE | MARK)) !== 0;
}

/** `ESC [ 1 ; 31 m`, also with the escape character spelled out. */
function endsColour(text: string, index: number): boolean {
  const final = text.charCodeAt(index - 1);
  if (final < 0x40 || final > 0x7e) return false;
  let start = index - 2;
  while (start >= 0 && text.charCodeAt(start) >= 0x30 && text.charCodeAt(start) <= 0x3f) start -= 1;
  if (text.charAt(start) !== '[') return text.charAt(start) === '\x9b';
  return ESCAPE_SPELLINGS.some((spelling) => text.endsWith(spelling, start));
}

/** `@/path`, as tools and agents write "the content of", and `-I/path`, as compilers are told. */
function endsPrefix(text: string, last: number): boolean {
  const isOption = text.charAt(last - 1) === '-' && LETTER.test(text.charAt(last));
  if (text.charAt(last) !== '@' && !isOption) return false;
  const before = isOption ? last - 2 : last - 1;
  return before < 0 || (classAt(text, before) & (SPACE | QUOTE | MARK)) !== 0;
}

/** Whether a root that ends before `index` is not the beginning of a longer name, such as `/workspace2` or `/workspace.bak`. */
export function borderAfter(text: string, index: number): boolean {
  let end = index;
  while (end < text.length && classAt(text, end) === SENTENCE) end += 1;
  if (end >= text.length) return true;
  const code = text.charCodeAt(end);
  if (code === BACKSLASH) return end + 1 === text.length || AFTER_BACKSLASH.includes(text.charAt(end + 1));
  const kind = classAt(text, end);
  if (end > index) return (kind & (SPACE | QUOTE | CLOSING)) !== 0 || code === 0x3c || code === 0x2c;
  if ('([{'.includes(text.charAt(end))) return false;
  return code === SLASH || code === 0x23 || (kind & BORDER) !== 0;
}

/** Every border of ASCII, and what makes a word need a second look. */
const NOT_IN_A_NORMAL_WORD = /[\0- "'`=:,;|&([{<>)\]}\\\x7f\u0080-\uffff]|\/[./]/g;

const noBackslashes = (): number => 0;

/**
 * Where the word that goes on at `index` ends: at the first character that could be a border before another path, too.
 * @param backslashes how many characters of a sequence that starts with a backslash belong to the word; 0 ends it.
 */
export function wordEnd(
  text: string,
  index: number,
  backslashes: (text: string, index: number) => number = noBackslashes,
): number {
  let end = index;
  while (end < text.length) {
    const border = (classAt(text, end) & BORDER) !== 0;
    const width = border ? 0 : text.charCodeAt(end) === BACKSLASH ? backslashes(text, end) : 1;
    if (width === 0) return end;
    end += width;
  }
  return end;
}

/**
 * Like {@link wordEnd} for a word that resolving would not change, and whose end takes no thought; -1 for any other: with a dot
 * or a second separator behind a separator, or with letters beyond ASCII.
 */
export function normalWordEnd(text: string, index: number): number {
  NOT_IN_A_NORMAL_WORD.lastIndex = index;
  if (!NOT_IN_A_NORMAL_WORD.test(text)) return text.length;
  const end = NOT_IN_A_NORMAL_WORD.lastIndex - 1;
  const code = text.charCodeAt(end);
  return code >= 128 || code === SLASH || code === DOT ? -1 : end;
}

/** Where a sentence's last word ends, its full stop left out. */
export function trimSentence(text: string, start: number, end: number): number {
  let trimmed = end;
  while (trimmed > start && classAt(text, trimmed - 1) === SENTENCE) trimmed -= 1;
  return trimmed;
}

/** Whether `text` is one path and nothing else, as far as its characters tell. */
export function readsAsOnePath(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const kind = classAt(text, index);
    const next = index + 1 < text.length ? classAt(text, index + 1) : OTHER;
    if (kind === SPACE && (text.charCodeAt(index) !== 0x20 || next !== WORD)) return false;
    if ((kind & QUOTE) !== 0 || '<>|'.includes(text.charAt(index))) return false;
    if (':;,='.includes(text.charAt(index)) && (next === SPACE || text.charCodeAt(index + 1) === SLASH))
      return false;
  }
  return true;
}
