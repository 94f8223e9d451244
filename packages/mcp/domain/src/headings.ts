/** What stands between the files in an answer that holds several, as the reference server writes it. */
const BETWEEN = '\n---\n';
const CONTENT = ':\n';
const FAILURE = ': Error - ';

interface Headings {
  /** What the tool was asked for, in its own names and order. */
  readonly files: readonly string[];
  /** A path as the reader knows it. */
  readonly path: (path: string) => string;
  /** Words that are no content, such as those about a file that could not be read. */
  readonly words: (text: string) => string;
}

/**
 * Rewrites the headings that name the files in the answer of a tool that reads several, `PATH:` or `PATH: Error - WHY`, and
 * nothing of what stands between them. A content may look like a heading: where that leaves two places for one, both stay as
 * they are. So does a text that was not put together like this.
 */
export function withHeadings(text: string, { files, path, words }: Headings): string {
  const starts = certainStarts(text, files);
  let output = '';
  let copied = 0;
  for (const [index, file] of files.entries()) {
    const start = starts[index];
    if (start === undefined) continue;
    const end = start + file.length;
    output += text.slice(copied, start) + path(file);
    copied = end;
    const next = index + 1 < files.length ? starts[index + 1] : text.length + BETWEEN.length;
    if (next === undefined || !text.startsWith(FAILURE, end)) continue;
    output += words(text.slice(end, next - BETWEEN.length));
    copied = next - BETWEEN.length;
  }
  return output + text.slice(copied);
}

/** Where each heading stands that can stand nowhere else: all could be as far left as the first ones, or right as the last. */
function certainStarts(text: string, files: readonly string[]): readonly (number | undefined)[] {
  const [first, ...others] = files;
  if (first === undefined || !isHeading(text, 0, first)) return [];
  const leftmost = [0];
  let end = endOf(0, first);
  for (const file of others) {
    const start = headingFrom(text, end, file);
    if (start === -1) return [];
    leftmost.push(start);
    end = endOf(start, file);
  }
  const rightmost: number[] = [];
  let limit = text.length;
  for (const file of others.reverse()) {
    const start = headingBefore(text, limit, file);
    rightmost.unshift(start);
    limit = start - BETWEEN.length;
  }
  return [0, ...rightmost].map((start, index) => (start === leftmost[index] ? start : undefined));
}

const endOf = (start: number, file: string): number => start + file.length + CONTENT.length;

function isHeading(text: string, start: number, file: string): boolean {
  if (!text.startsWith(file, start)) return false;
  const end = start + file.length;
  return text.startsWith(CONTENT, end) || text.startsWith(FAILURE, end);
}

/** The first heading of `file` that comes from `from` on, with what stands between; -1 when there is none. */
function headingFrom(text: string, from: number, file: string): number {
  const wanted = BETWEEN + file;
  for (let found = text.indexOf(wanted, from); found !== -1; found = text.indexOf(wanted, found + 1))
    if (isHeading(text, found + BETWEEN.length, file)) return found + BETWEEN.length;
  return -1;
}

/** The last heading of `file` that ends before `limit`; there must be one. */
function headingBefore(text: string, limit: number, file: string): number {
  const wanted = BETWEEN + file;
  let found = text.lastIndexOf(wanted, limit - wanted.length - CONTENT.length);
  while (!isHeading(text, found + BETWEEN.length, file)) found = text.lastIndexOf(wanted, found - 1);
  return found + BETWEEN.length;
}
