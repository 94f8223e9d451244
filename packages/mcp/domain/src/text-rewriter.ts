import { isFileUri, judgeFileUri, readsAsOneUri } from './file-uri.ts';
import { type Needle, NeedleSearch, needlesOf } from './needle.ts';
import type { PathMap } from './path-map.ts';
import type { Root, Side } from './root.ts';
import { isJson, jsonSpelling, plainSpelling, type Spelling } from './spelling.ts';
import { borderBefore, normalWordEnd, readsAsOnePath } from './text-borders.ts';
import { FILE_SCHEME, pathEnd, type PathObserver, settled, spellingAt, TextScan } from './text-scan.ts';

const NEEDS_ESCAPE = /["\\\p{Cc}]/u;
/** No system has longer ones; a longer text is not worth the look. */
const LONGEST_PATH = 32_768;
const escapedSpelling = jsonSpelling({ slashes: false, letters: false });

/** Rewrites the paths that stand in the middle of a text: sentences, logs, lists, command lines, JSON (R8). */
export class TextRewriter {
  readonly #from: Side;
  readonly #paths: PathMap;
  readonly #observe: PathObserver | undefined;
  readonly #needles: readonly Needle[];
  readonly #needsEscape: boolean;

  /** @param roots of both sides, longest first. */
  constructor(
    roots: readonly Root[],
    { from, paths, observe }: { from: Side; paths: PathMap; observe: PathObserver | undefined },
  ) {
    this.#from = from;
    this.#paths = paths;
    this.#observe = observe;
    const sources = roots.filter((root) => root.side === from);
    const targets = roots.filter((root) => root.side !== from);
    const shields = targets.filter((target) =>
      sources.some((source) => target.comparable.includes(source.comparable)),
    );
    this.#needles = roots
      .filter((root) => sources.includes(root) || shields.includes(root))
      .flatMap(needlesOf);
    this.#needsEscape = targets.some((root) => NEEDS_ESCAPE.test(root.prefix));
  }

  rewrite(text: string): string {
    if (!this.#mayHoldPath(text)) return text;
    return this.#asPlainPath(text) ?? this.#asOnePath(text) ?? this.#scan(text);
  }

  #mayHoldPath(text: string): boolean {
    if (!text.includes('/') && !text.includes('\\')) return false;
    for (const needle of this.#needles) if (needle.indexIn(text, 0) !== -1) return true;
    return text.includes(FILE_SCHEME);
  }

  /** The most common text of all: one path, with nothing in it that could mean anything else. */
  #asPlainPath(text: string): string | undefined {
    for (const [{ prefix }, target] of this.#paths.plainTargets) {
      if (!text.startsWith(prefix) || text.charAt(prefix.length) !== '/') continue;
      if (normalWordEnd(text, prefix.length) !== text.length) continue;
      const rewritten = target + text.slice(prefix.length);
      this.#observe?.(text, rewritten);
      return rewritten;
    }
    return undefined;
  }

  /** A text that is one path or URI is judged as one, also where a blank or a bracket in it would end a word. */
  #asOnePath(text: string): string | undefined {
    if (text.length > LONGEST_PATH) return undefined;
    if (isFileUri(text))
      return readsAsOneUri(text) ? settled(text, judgeFileUri(text, this.#paths), this.#observe) : undefined;
    const leaves =
      /[/\\]\.\./.test(text) && readsAsOnePath(text) && this.#paths.judge(text).kind === 'escapes';
    return leaves ? text : undefined;
  }

  #scan(text: string): string {
    return new TextScan(text, {
      from: this.#from,
      paths: this.#paths,
      observe: this.#observe,
      search: new NeedleSearch(this.#needles, text),
      plain: this.#needsEscape && isJson(text) ? escapedSpelling : plainSpelling,
    }).run();
  }

  /** The source paths that stand in `text`, also inside URLs: what a reader of it would learn of the other side. */
  pathsIn(text: string): readonly string[] {
    const search = new NeedleSearch(this.#needles, text);
    const found: string[] = [];
    let next = 0;
    for (let start = search.next(0); start !== Infinity; start = search.next(next)) {
      next = start + 1;
      const needle = search.needleAt(start, (candidate) => pathEnd(text, start, plainly(candidate)) !== -1);
      if (needle === undefined || !beginsPath(text, start)) continue;
      next = pathEnd(text, start, plainly(needle));
      const spelling = spellingAt(text, start, plainly(needle));
      const path = needle.root.side === this.#from ? spelling.read(text.slice(start, next)) : undefined;
      if (path !== undefined && this.#paths.map(path) !== undefined) found.push(path);
    }
    return found;
  }
}

function beginsPath(text: string, start: number): boolean {
  const scheme = text.slice(Math.max(0, start - FILE_SCHEME.length), start);
  return scheme === FILE_SCHEME || borderBefore(text, start) !== 'none';
}

const plainly = (needle: Needle): { needle: Needle; plain: Spelling } => ({ needle, plain: plainSpelling });
