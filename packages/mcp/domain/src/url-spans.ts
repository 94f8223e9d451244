const SCHEME_CHARACTER = /[A-Za-z0-9+.-]/;
const CLOSERS: Readonly<Record<string, string>> = { "'": "'", '(': ')', '[': ']', '{': '}' };
const URL_END = /[\s"`<>\\\p{Cc}]/gu;

/**
 * The stretches of a text that are URLs, in whose middle no path may be rewritten: `https://host/?p=/workspace`.
 * Asked with rising positions, it reads the text once.
 */
export class UrlSpans {
  readonly #text: string;
  #start = -1;
  #end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  contains(index: number): boolean {
    while (this.#end <= index) {
      const separator = this.#text.indexOf('://', this.#end);
      if (separator === -1) {
        this.#start = this.#end = Infinity;
        break;
      }
      this.#start = this.#schemeStart(separator);
      this.#end = this.#urlEnd(separator + 3);
    }
    return index >= this.#start && index < this.#end;
  }

  #schemeStart(separator: number): number {
    let start = separator;
    while (start > this.#end && SCHEME_CHARACTER.test(this.#text.charAt(start - 1))) start -= 1;
    return start;
  }

  /** A quote or bracket ends the URL only when one was opened right before it. */
  #urlEnd(from: number): number {
    URL_END.lastIndex = from;
    const end = URL_END.exec(this.#text)?.index ?? this.#text.length;
    const closer = CLOSERS[this.#text.charAt(this.#start - 1)];
    const closed = closer === undefined ? -1 : this.#text.slice(from, end).indexOf(closer);
    return closed === -1 ? end : from + closed;
  }
}
