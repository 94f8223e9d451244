import { randomUUID } from 'node:crypto';

/**
 * JSON has whole numbers of any length, and JavaScript rounds those beyond 2^53: an id of another language's 64 bits would
 * come out as another id. A message that only passes through holds them as marked strings in the meantime, which no peer can
 * have written: the mark is made up anew by each process, and never leaves it.
 */
const MARK = `\0${randomUUID()}:`;
const SPELLED_MARK = JSON.stringify(MARK).slice(0, -1);

const MAY_BE_LONG = /\d{16}/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const WHOLE = /^-?\d{16,}$/;
const BACKSLASH = 0x5c;

let isAnyMarked = false;

/** JSON text, with the whole numbers that would be rounded as marked strings. Text that is no JSON stays none. */
export function markLongNumbers(json: string): string {
  if (!MAY_BE_LONG.test(json)) return json;
  let output = '';
  let position = 0;
  while (position < json.length) {
    const quote = json.indexOf('"', position);
    const between = json.slice(position, quote === -1 ? undefined : quote);
    output += MAY_BE_LONG.test(between) ? between.replace(NUMBER, marked) : between;
    if (quote === -1) break;
    position = endOfString(json, quote + 1);
    output += json.slice(quote, position);
  }
  return output;
}

/** The text that `markLongNumbers` was given, as far as numbers go. */
export function unmarkLongNumbers(json: string): string {
  if (!isAnyMarked || !json.includes(SPELLED_MARK)) return json;
  const [first = '', ...others] = json.split(SPELLED_MARK);
  // each mark stands before the digits and the quote that ends them
  return first + others.map((part) => part.replace('"', '')).join('');
}

function marked(number: string): string {
  if (!WHOLE.test(number) || String(Number(number)) === number) return number;
  isAnyMarked = true;
  return `${SPELLED_MARK}${number}"`;
}

/** Behind the quote that ends the string which goes on at `from`. */
function endOfString(json: string, from: number): number {
  for (let quote = json.indexOf('"', from); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return json.length;
}
