import { judgeFileUri } from './file-uri.ts';
import type { Needle, NeedleSearch } from './needle.ts';
import type { PathMap, PathVerdict } from './path-map.ts';
import type { Side } from './root.ts';
import { plainSpelling, type Spelling } from './spelling.ts';
import { borderAfter, borderBefore, normalWordEnd, trimSentence, wordEnd } from './text-borders.ts';
import { UrlSpans } from './url-spans.ts';

/** What is told of each path that was rewritten. */
export type PathObserver = (before: string, after: string) => void;

export const FILE_SCHEME = 'file://';
const SLASH = 0x2f;
const COLON = 0x3a;

interface ScanOptions {
  readonly from: Side;
  readonly paths: PathMap;
  readonly observe: PathObserver | undefined;
  readonly search: NeedleSearch;
  /** How a path is read and written that was found as it is: as JSON, where the text is JSON and a target needs escapes. */
  readonly plain: Spelling;
}

interface Reading {
  readonly needle: Needle;
  readonly plain: Spelling;
}

/** One pass over one text, from left to right. */
export class TextScan {
  readonly #text: string;
  readonly #options: ScanOptions;
  readonly #urls: UrlSpans;
  #output = '';
  #copied = 0;
  #start = 0;
  /** Where the last path ended. */
  #end = 0;

  constructor(text: string, options: ScanOptions) {
    this.#text = text;
    this.#options = options;
    this.#urls = new UrlSpans(text);
  }

  run(): string {
    const { search } = this.#options;
    let uri = nextFileUri(this.#text, 0);
    let path = search.next(0);
    while (uri !== Infinity || path !== Infinity) {
      const position = uri <= path ? this.#readUri(uri) : this.#readPaths(path, uri);
      if (uri < position) uri = nextFileUri(this.#text, position);
      path = search.next(position);
    }
    if (this.#copied === 0) return this.#text;
    return this.#output + this.#text.slice(this.#copied);
  }

  #replace(start: number, end: number, replacement: string): void {
    this.#output += this.#text.slice(this.#copied, start) + replacement;
    this.#copied = end;
  }

  /** Returns where reading goes on. */
  #readUri(start: number): number {
    const path = start + FILE_SCHEME.length;
    if (!this.#beginsUri(start)) return path;
    const drive = /^\/[A-Za-z]:/.test(this.#text.slice(path, path + 3)) ? 3 : 0;
    const end = trimSentence(this.#text, path, wordEnd(this.#text, path + drive));
    const uri = this.#text.slice(start, end);
    const { paths, observe } = this.#options;
    const rewritten = settled(uri, judgeFileUri(uri, paths), observe);
    if (rewritten !== uri) this.#replace(start, end, rewritten);
    return end;
  }

  #beginsUri(start: number): boolean {
    const border = borderBefore(this.#text, start);
    return border === 'hard' || (border === 'soft' && !this.#urls.contains(start - 1));
  }

  /** Whether a path may begin at `start` when the one before it ended at `end`. */
  #beginsPath(start: number, end: number): boolean {
    // the colon behind a path is no drive's, whatever letter the path ends with
    const listed = end > 0 && end === start - 1 && this.#text.charCodeAt(end) === COLON;
    const border = listed ? 'soft' : borderBefore(this.#text, start);
    return border === 'hard' || (border === 'soft' && !this.#urls.contains(start));
  }

  /** Returns where reading goes on. `uri` is where the next one begins. */
  #readPaths(start: number, uri: number): number {
    if (!this.#beginsPath(start, this.#end)) return start + 1;
    if (this.#replaceRoots(start, uri)) return this.#end;
    this.#start = start;
    const needle = this.#options.search.needleAt(start, this.#accepts);
    if (needle === undefined) return start + 1;
    if (needle.root.side === this.#options.from) this.#translate(needle, start, this.#end);
    return this.#end;
  }

  /**
   * The most common paths of all: below a root that has one name on the other side. From one to the next, as long as nothing
   * else comes before it. False when not even the first is such a path.
   */
  #replaceRoots(first: number, uri: number): boolean {
    const { paths, observe, plain, search } = this.#options;
    const needle =
      plain === plainSpelling
        ? search.needleAt(first, ({ isPlain, root }) => isPlain && paths.plainTargets.has(root))
        : undefined;
    if (needle === undefined) return false;
    const { prefix } = needle.root;
    const target = paths.plainTargets.get(needle.root) ?? '';
    const limit = Math.min(uri, search.nextBeside(needle));
    const text = this.#text;
    let end = -1;
    for (let start = first; ;) {
      const rest = start + prefix.length;
      const wordEnd = text.charCodeAt(rest) === SLASH ? normalWordEnd(text, rest) : -1;
      if (wordEnd === -1) break;
      observe?.(text.slice(start, wordEnd), target + text.slice(rest, wordEnd));
      this.#replace(start, rest, target);
      end = wordEnd;
      start = text.indexOf(prefix, end);
      if (start === -1 || start >= limit || !this.#beginsPath(start, end)) break;
    }
    if (end !== -1) this.#end = end;
    return end !== -1;
  }

  readonly #accepts = (needle: Needle): boolean => {
    this.#end = pathEnd(this.#text, this.#start, { needle, plain: this.#options.plain });
    return this.#end !== -1;
  };

  #translate(needle: Needle, start: number, end: number): void {
    const { paths, observe, plain } = this.#options;
    const spelling = spellingAt(this.#text, start, { needle, plain });
    const path = spelling.read(this.#text.slice(start, end));
    const mapped = path === undefined ? undefined : paths.map(path);
    if (path === undefined || mapped === undefined || this.#readsAsRoot(mapped)) return;
    observe?.(path, mapped);
    this.#replace(start, end, spelling.write(mapped));
  }

  /** `/ws/p.`, written for the file `p.` of `/ws`, would be taken for the end of a sentence about a root `/ws/p`. */
  #readsAsRoot(path: string): boolean {
    const word = path.slice(0, trimSentence(path, 0, path.length));
    return word !== path && this.#options.paths.map(word) !== undefined;
  }
}

/** Looks for the colon first, which is rarer than an f. `Infinity` when there is none. */
function nextFileUri(text: string, from: number): number {
  for (let colon = text.indexOf('://', from); colon !== -1; colon = text.indexOf('://', colon + 3))
    if (colon >= from + 4 && text.startsWith(FILE_SCHEME, colon - 4)) return colon - 4;
  return Infinity;
}

/** What a text becomes that was judged as a whole. */
export function settled(text: string, verdict: PathVerdict, observe: PathObserver | undefined): string {
  if (verdict.kind !== 'mapped') return text;
  observe?.(text, verdict.path);
  return verdict.path;
}

/** How the path is written that begins with `needle` at `start`. */
export function spellingAt(text: string, start: number, { needle, plain }: Reading): Spelling {
  const spelling = needle.spellingAt(text, start, needle.endAt(text, start));
  return spelling === plainSpelling ? plain : spelling;
}

/** Where the path ends that begins with `needle` at `start`; -1 when the root is only the beginning of a longer name. */
export function pathEnd(text: string, start: number, reading: Reading): number {
  const { root } = reading.needle;
  const end = reading.needle.endAt(text, start);
  const spelling = spellingAt(text, start, reading);
  if (root.prefix === '') {
    const path = spelling.wordEnd(text, end);
    return path === end || text.charAt(end) === '/' ? -1 : path;
  }
  if (spelling.separates(text, end)) return spelling.wordEnd(text, end);
  return !root.bare && borderAfter(text, end) ? end : -1;
}
