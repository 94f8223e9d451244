import { literalHits, looksBinary, searchableText } from '@cleveragents/file-tools-domain';
import type { RootedFileSystem } from '@cleveragents/shared-kernel';
import { asBuffer, ByteFilter } from './byte-filter.ts';
import { literalHitsInBytes, presentHitInBytes, withoutMark } from './literal-bytes.ts';
import type { MatchCollector } from './match-collector.ts';
import type { SearchDeadline } from './search-deadline.ts';
import type { SearchLimits } from './search-limits.ts';

/** Looks for one text in one file after the other. */
export class LiteralSearch {
  readonly #literal: string;
  readonly #filter: ByteFilter;
  readonly #collector: MatchCollector;
  readonly #limits: SearchLimits;
  readonly #deadline: SearchDeadline;

  constructor(literal: string, collector: MatchCollector, limits: SearchLimits, deadline: SearchDeadline) {
    this.#literal = literal;
    this.#filter = new ByteFilter(literal);
    this.#collector = collector;
    this.#limits = limits;
    this.#deadline = deadline;
  }

  /** @param bytes of the file, at most one more than is searched; `undefined` where they cannot be read */
  visit(path: string, bytes: Uint8Array | undefined, files: RootedFileSystem): void | Promise<void> {
    if (bytes === undefined || looksBinary(bytes)) this.#collector.skip(path);
    else if (bytes.length > this.#limits.maxFileBytes) return this.#visitLarge(path, files);
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

  async #visitLarge(path: string, files: RootedFileSystem): Promise<void> {
    if (await this.#mayBeIn(path, files)) this.#collector.skip(path);
  }

  async #mayBeIn(path: string, files: RootedFileSystem): Promise<boolean> {
    let end: Buffer = Buffer.alloc(0);
    for await (const chunk of files.stream(path)) {
      this.#deadline.check();
      const bytes = Buffer.concat([end, chunk]);
      if (bytes.includes(this.#filter.needle) || bytes.includes(0)) return true;
      end = bytes.subarray(Math.max(0, bytes.length - this.#filter.needle.length + 1));
    }
    return false;
  }
}
