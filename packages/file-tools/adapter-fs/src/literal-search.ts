import { literalHits, looksBinary, searchableText } from '@cleveragents/file-tools-domain';
import type { RootedFileSystem } from '@cleveragents/shared-kernel';
import type { MatchCollector } from './match-collector.ts';
import type { SearchDeadline } from './search-deadline.ts';
import type { SearchLimits } from './search-limits.ts';

/** Looks for one text in one file after the other. */
export class LiteralSearch {
  readonly #literal: string;
  readonly #needle: Buffer;
  readonly #collector: MatchCollector;
  readonly #limits: SearchLimits;
  readonly #deadline: SearchDeadline;

  constructor(literal: string, collector: MatchCollector, limits: SearchLimits, deadline: SearchDeadline) {
    this.#literal = literal;
    this.#needle = Buffer.from(literal);
    this.#collector = collector;
    this.#limits = limits;
    this.#deadline = deadline;
  }

  /** @param bytes of the file, at most one more than is searched; `undefined` where they cannot be read */
  visit(path: string, bytes: Uint8Array | undefined, files: RootedFileSystem): void | Promise<void> {
    if (bytes === undefined || looksBinary(bytes)) this.#collector.skip(path);
    else if (bytes.length > this.#limits.maxFileBytes) return this.#visitLarge(path, files);
    else if (this.#mayMatch(bytes)) {
      const text = searchableText(bytes);
      this.#collector.add(path, text, literalHits(text, this.#literal, this.#collector.wanted));
    }
  }

  async #visitLarge(path: string, files: RootedFileSystem): Promise<void> {
    if (await this.#mayBeIn(path, files)) this.#collector.skip(path);
  }

  /** Most files are done with here, without being decoded. */
  #mayMatch(bytes: Uint8Array): boolean {
    const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    return isUtf16 || this.#literal.includes('\ufffd') || asBuffer(bytes).includes(this.#needle);
  }

  async #mayBeIn(path: string, files: RootedFileSystem): Promise<boolean> {
    let end: Buffer = Buffer.alloc(0);
    for await (const chunk of files.stream(path)) {
      this.#deadline.check();
      const bytes = Buffer.concat([end, chunk]);
      if (bytes.includes(this.#needle) || bytes.includes(0)) return true;
      end = bytes.subarray(Math.max(0, bytes.length - this.#needle.length + 1));
    }
    return false;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
