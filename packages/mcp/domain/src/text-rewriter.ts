import { isFileUri, judgeFileUri, readsAsOneUri } from './file-uri.ts';
import { type Match, type Needle, NeedleSearch, needlesOf } from './needle.ts';
import type { PathMap, PathVerdict } from './path-map.ts';
import type { Root, Side } from './root.ts';
import { isJson, jsonSpelling, plainSpelling, type Spelling } from './spelling.ts';
import {
  borderAfter,
  borderBefore,
  isNormalPart,
  readsAsOnePath,
  trimSentence,
  wordEnd,
} from './text-borders.ts';
import { UrlSpans } from './url-spans.ts';

/** What is told of each path that was rewritten. */
export type PathObserver = (before: string, after: string) => void;

const FILE_SCHEME = 'file://';
const SCHEME_CHARACTER = /[A-Za-z0-9+.-]/;
const NEEDS_ESCAPE = /["\\\p{Cc}]/u;
const escapedSpelling = jsonSpelling({ slashes: false, letters: false });

interface Languages {
  readonly from: Side;
  readonly paths: PathMap;
  readonly observe: PathObserver | undefined;
}

/** Rewrites the paths that stand in the middle of a text: sentences, logs, lists, command lines, JSON (R8). */
export class TextRewriter {
  readonly #languages: Languages;
  readonly #needles: readonly Needle[];
  readonly #needsEscape: boolean;

  /** @param roots of both sides, longest first. */
  constructor(roots: readonly Root[], languages: Languages) {
    this.#languages = languages;
    const sources = roots.filter((root) => root.side === languages.from);
    const targets = roots.filter((root) => root.side !== languages.from);
    const shields = targets.filter((target) =>
      sources.some((source) => target.comparable.includes(source.comparable)),
    );
    this.#needles = roots
      .filter((root) => sources.includes(root) || shields.includes(root))
      .flatMap(needlesOf);
    this.#needsEscape = targets.some((root) => NEEDS_ESCAPE.test(root.prefix));
  }

  rewrite(text: string): string {
    if (!text.includes('/') && !text.includes('\\')) return text;
    const search = new NeedleSearch(this.#needles, text);
    const uri = text.indexOf(FILE_SCHEME);
    if (search.next(0) === Infinity && uri === -1) return text;
    const plain = this.#needsEscape && isJson(text) ? escapedSpelling : plainSpelling;
    return this.#asOnePath(text) ?? new TextScan(text, { search, plain, ...this.#languages }).run();
  }

  /** A text that is one path or URI is judged as one, also where a blank or a bracket in it would end a word. */
  #asOnePath(text: string): string | undefined {
    const { paths, observe } = this.#languages;
    if (isFileUri(text))
      return readsAsOneUri(text) ? settled(text, judgeFileUri(text, paths), observe) : undefined;
    if (!/[/\\]\.\./.test(text) || !readsAsOnePath(text)) return undefined;
    const verdict = paths.judge(text);
    return verdict.kind === 'escapes' || (verdict.kind === 'mapped' && !text.includes(' '))
      ? settled(text, verdict, observe)
      : undefined;
  }

  /** The source paths that stand in `text`, also inside URLs: what a reader of it would learn of the other side. */
  pathsIn(text: string): readonly string[] {
    const { from, paths } = this.#languages;
    const search = new NeedleSearch(this.#needles, text);
    const found: string[] = [];
    for (let start = search.next(0); start !== Infinity;) {
      const match = search.matchAt(start, (candidate) => endOf(text, candidate) !== undefined);
      const end = match === undefined ? start + 1 : (endOf(text, match) ?? start + 1);
      const begins =
        borderBefore(text, start) !== 'none' ||
        text.slice(Math.max(0, start - FILE_SCHEME.length), start) === FILE_SCHEME;
      const plain =
        begins && match?.root.side === from ? match.spelling.read(text.slice(start, end)) : undefined;
      if (plain !== undefined && paths.map(plain) !== undefined) found.push(plain);
      start = search.next(end);
    }
    return found;
  }
}

/** One pass over one text. */
class TextScan {
  readonly #text: string;
  readonly #search: NeedleSearch;
  readonly #languages: Languages;
  /** How a path is written that was found as it is: escaped, where the text is JSON and the path needs it. */
  readonly #plain: Spelling;
  readonly #urls: UrlSpans;
  #output = '';
  #copied = 0;

  constructor(
    text: string,
    { search, plain, ...languages }: { search: NeedleSearch; plain: Spelling } & Languages,
  ) {
    this.#text = text;
    this.#search = search;
    this.#plain = plain;
    this.#languages = languages;
    this.#urls = new UrlSpans(text);
  }

  run(): string {
    let uri = orInfinity(this.#text.indexOf(FILE_SCHEME));
    let path = this.#search.next(0);
    while (uri !== Infinity || path !== Infinity) {
      const position = uri <= path ? this.#readUri(uri) : this.#readPath(path);
      if (uri < position) uri = orInfinity(this.#text.indexOf(FILE_SCHEME, position));
      path = this.#search.next(position);
    }
    return this.#copied === 0 ? this.#text : this.#output + this.#text.slice(this.#copied);
  }

  #replace(start: number, end: number, replacement: string): void {
    this.#output += this.#text.slice(this.#copied, start) + replacement;
    this.#copied = end;
  }

  /** Returns where reading goes on. */
  #readUri(start: number): number {
    const path = start + FILE_SCHEME.length;
    if (start > 0 && SCHEME_CHARACTER.test(this.#text.charAt(start - 1))) return path;
    const drive = /^\/[A-Za-z]:/.test(this.#text.slice(path, path + 3)) ? 3 : 0;
    const end = trimSentence(this.#text, path, wordEnd(this.#text, path + drive));
    const uri = this.#text.slice(start, end);
    const { paths, observe } = this.#languages;
    const rewritten = settled(uri, judgeFileUri(uri, paths), observe);
    if (rewritten !== uri) this.#replace(start, end, rewritten);
    return end;
  }

  /** Returns where reading goes on. */
  #readPath(start: number): number {
    const border = borderBefore(this.#text, start);
    if (border === 'none' || (border === 'soft' && this.#urls.contains(start))) return start + 1;
    let end: number | undefined;
    const match = this.#search.matchAt(start, (candidate) => {
      end = endOf(this.#text, candidate);
      return end !== undefined;
    });
    if (match === undefined || end === undefined) return start + 1;
    if (match.root.side === this.#languages.from) this.#translate(match, end);
    return end;
  }

  #translate({ root, spelling, start, end: rootEnd }: Match, end: number): void {
    const { paths, observe } = this.#languages;
    const target = observe === undefined && spelling === this.#plain ? paths.plainTarget(root) : undefined;
    if (target !== undefined && isNormalPart(this.#text, rootEnd, end))
      return this.#replace(start, rootEnd, target);
    const path = spelling.read(this.#text.slice(start, end));
    const mapped = path === undefined ? undefined : paths.map(path);
    if (path === undefined || mapped === undefined) return;
    observe?.(path, mapped);
    this.#replace(start, end, (spelling === plainSpelling ? this.#plain : spelling).write(mapped));
  }
}

const orInfinity = (index: number): number => (index === -1 ? Infinity : index);

function settled(text: string, verdict: PathVerdict, observe: PathObserver | undefined): string {
  if (verdict.kind !== 'mapped') return text;
  observe?.(text, verdict.path);
  return verdict.path;
}

/** Where the path ends that begins with `match`; undefined when its root is only the beginning of a longer name. */
function endOf(text: string, { root, spelling, end }: Match): number | undefined {
  if (root.prefix === '') {
    const path = spelling.wordEnd(text, end);
    return path === end || text.charAt(end) === '/' ? undefined : path;
  }
  if (spelling.separates(text, end)) return spelling.wordEnd(text, end);
  return !root.bare && borderAfter(text, end) ? end : undefined;
}
