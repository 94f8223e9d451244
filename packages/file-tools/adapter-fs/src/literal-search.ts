import { literalHits, looksBinary, searchableText } from '@cleveragents/file-tools-domain';
import { asBuffer, ByteFilter } from './byte-filter.ts';
import { literalHitsInBytes, presentHitInBytes, withoutMark } from './literal-bytes.ts';
import type { MatchCollector } from './match-collector.ts';
import type { SearchLimits } from './search-limits.ts';

/** Looks for one text in one file after the other. */
export class LiteralSearch {
  readonly #literal: string;
  readonly #filter: ByteFilter;
  readonly #collector: MatchCollector;
  readonly #limits: SearchLimits;

  constructor(literal: string, collector: MatchCollector, limits: SearchLimits) {
    this.#literal = literal;
    this.#filter = new ByteFilter(literal);
    this.#collector = collector;
    this.#limits = limits;
  }

  /** Whether the bytes of a file can tell that the text is not in it. */
  get canFilter(): boolean {
    return !this.#filter.isUndecidable;
  }

  /** @param bytes of the file, at most one more than is searched; `undefined` where they cannot be read */
  visit(path: string, bytes: Uint8Array | undefined): void {
    if (bytes === undefined || looksBinary(bytes) || bytes.length > this.#limits.maxFileBytes)
      this.#collector.skip();
    else if (this.#filter.mustDecode(bytes)) {
      const text = searchableText(bytes);
      this.#collector.addFromText(path, text, literalHits(text, this.#literal, this.#collector.wanted));
    } else this.#findInBytes(path, withoutMark(asBuffer(bytes)));
  }

  #findInBytes(path: string, bytes: Buffer): void {
    const { wanted, context } = this.#collector;
    const hits = literalHitsInBytes(bytes, this.#filter.needle, wanted);
    this.#collector.add(hits, (hit) => presentHitInBytes(path, bytes, hit, context));
  }
}
