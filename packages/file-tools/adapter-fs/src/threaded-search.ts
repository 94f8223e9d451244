import type { ExpressionPlan } from '@cleveragents/file-tools-domain';
import { looksBinary } from '@cleveragents/file-tools-domain';
import type { LentFile, WalkEntry } from '@cleveragents/shared-kernel';
import { ByteFilter } from './byte-filter.ts';
import { addExpressionHits } from './expression-hits.ts';
import type { MatchCollector } from './match-collector.ts';
import type { SearchDeadline } from './search-deadline.ts';
import type { SearchLimits } from './search-limits.ts';
import type { SearchAnswer, SearchOrder, SearchThread } from './search-thread.ts';
import type { SearchThreads } from './search-threads.ts';

const BATCH_FILES = 128;
const BATCH_BYTES = 2 * 1024 * 1024;
/** While one batch is searched the next one is gathered. */
const BATCHES_PER_THREAD = 2;

export interface ThreadedSearchParts {
  readonly plan: ExpressionPlan;
  readonly threads: SearchThreads;
  readonly collector: MatchCollector;
  readonly limits: SearchLimits;
  readonly deadline: SearchDeadline;
}

interface Batch {
  readonly paths: string[];
  /** As they are ordered. */
  readonly files: string[];
  readonly lent: LentFile[];
  /** Of the files that were read here, one after the other. */
  contents: Uint8Array<ArrayBuffer> | undefined;
  length: number;
}

interface SentBatch {
  readonly batch: Batch;
  readonly thread: SearchThread;
  readonly answer: Promise<SearchAnswer>;
}

/**
 * Searches one file after the other in threads of their own, which also read the files where a walk can lend them. The
 * answers are gathered in the order of the files.
 */
export class ThreadedSearch {
  readonly #parts: ThreadedSearchParts;
  readonly #filter: ByteFilter | undefined;
  readonly #threads: SearchThread[] = [];
  readonly #ahead: SentBatch[] = [];
  readonly #idleContents: ArrayBuffer[] = [];
  #batch = emptyBatch();

  constructor(parts: ThreadedSearchParts) {
    this.#parts = parts;
    const { literal } = parts.plan;
    this.#filter = literal === undefined ? undefined : new ByteFilter(literal);
  }

  /** Waits only where the threads have enough to do. */
  visit(entry: WalkEntry): void | Promise<void> {
    const lent = entry.lend();
    if (lent === undefined) return this.visitHere(entry);
    this.#batch.lent.push(lent);
    return this.#append(entry.path, lent.address);
  }

  /** The same, except that the file is read by the calling thread. */
  visitHere(entry: WalkEntry): void | Promise<void> {
    const { path } = entry;
    const { maxFileBytes } = this.#parts.limits;
    const bytes = entry.read(maxFileBytes + 1);
    if (bytes === undefined || looksBinary(bytes) || bytes.length > maxFileBytes)
      return this.#append(path, '');
    if (bytes.length === 0 || this.#filter?.mayHold(bytes) === false) return undefined;
    if (this.#batch.length + bytes.length <= BATCH_BYTES || this.#batch.length === 0)
      return this.#appendContents(path, bytes);
    const kept = bytes.slice();
    return this.#send().then(() => this.#appendContents(path, kept));
  }

  /** To be called when the walk has ended. */
  async finish(): Promise<void> {
    if (this.#batch.files.length > 0 && !this.#parts.collector.isFull) await this.#send();
    while (this.#ahead.length > 0) await this.#collectNext();
  }

  /** To be called in the end, whatever happened. What was lent is given back when nobody reads it any more. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => this.#parts.threads.giveBack(thread)));
    for (const { batch } of this.#ahead) giveBack(batch);
    giveBack(this.#batch);
  }

  #appendContents(path: string, bytes: Uint8Array): void | Promise<void> {
    const batch = this.#batch;
    batch.contents ??= this.#emptyContents(bytes.length);
    batch.contents.set(bytes, batch.length);
    const start = batch.length;
    batch.length += bytes.length;
    return this.#append(path, `${start}-${batch.length}`);
  }

  #append(path: string, file: string): void | Promise<void> {
    this.#batch.paths.push(path);
    this.#batch.files.push(file);
    return this.#batch.files.length >= BATCH_FILES ? this.#send() : undefined;
  }

  async #send(): Promise<void> {
    const batch = this.#batch;
    this.#batch = emptyBatch();
    const thread = this.#freeThread();
    this.#ahead.push({ batch, thread, answer: this.#run(thread, batch, 0, batch.contents?.buffer) });
    while (this.#ahead.length > this.#parts.threads.most * BATCHES_PER_THREAD) await this.#collectNext();
  }

  /** One that has nothing to do, where there is one or may be one more. */
  #freeThread(): SearchThread {
    const [least] = this.#threads.toSorted((one, other) => one.orders - other.orders);
    if (least !== undefined && (least.orders === 0 || this.#threads.length >= this.#parts.threads.most))
      return least;
    const thread = this.#parts.threads.take();
    this.#threads.push(thread);
    return thread;
  }

  #run(
    thread: SearchThread,
    { files }: Batch,
    from: number,
    contents: ArrayBuffer | undefined,
  ): Promise<SearchAnswer> {
    const { plan, collector, limits, deadline } = this.#parts;
    const order: SearchOrder = {
      plan,
      files: files.slice(from).join('\0'),
      contents,
      maxFileBytes: limits.maxFileBytes,
      context: collector.context,
      most: collector.wanted,
    };
    const answer = deadline.race(thread.run(order), (reason) => void thread.stop(reason));
    // It is awaited later, in its turn; until then a failure is nobody's yet.
    answer.catch(() => undefined);
    return answer;
  }

  async #collectNext(): Promise<void> {
    const [next] = this.#ahead;
    if (next === undefined) return;
    const { batch, thread } = next;
    const { collector } = this.#parts;
    let from = 0;
    for (let answer = next.answer; from < batch.files.length && !collector.isFull;) {
      const result = await answer;
      this.#collect(batch.paths.slice(from, from + result.done), result);
      from += result.done;
      if (from < batch.files.length && !collector.isFull)
        answer = this.#run(thread, batch, from, result.contents);
      else this.#keep(result.contents);
    }
    // When there is enough nothing can go wrong any more, but what was lent may still be read.
    await next.answer.catch(() => thread.stop());
    this.#ahead.shift();
    giveBack(batch);
  }

  #collect(paths: readonly string[], { skipped, found }: SearchAnswer): void {
    const { collector } = this.#parts;
    const left = skipped.map((index) => ({ index, file: undefined }));
    const both = [...left, ...found.map((file) => ({ index: file.index, file }))];
    for (const { index, file } of both.sort((one, other) => one.index - other.index)) {
      if (collector.isFull) return;
      if (file === undefined) collector.skip();
      else addExpressionHits(paths[index] ?? '', file, collector);
    }
  }

  /** Memory that has been written before costs nothing more. */
  #emptyContents(bytes: number): Uint8Array<ArrayBuffer> {
    const idle = bytes > BATCH_BYTES ? undefined : this.#idleContents.pop();
    return new Uint8Array(idle ?? new ArrayBuffer(Math.max(BATCH_BYTES, bytes)));
  }

  #keep(contents: ArrayBuffer | undefined): void {
    if (contents?.byteLength === BATCH_BYTES) this.#idleContents.push(contents);
  }
}

function emptyBatch(): Batch {
  return { paths: [], files: [], lent: [], contents: undefined, length: 0 };
}

function giveBack({ lent }: Batch): void {
  for (const file of lent.splice(0)) file.release();
}
