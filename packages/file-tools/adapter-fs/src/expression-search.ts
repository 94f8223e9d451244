import { isAscii } from 'node:buffer';
import type { ExpressionPlan, LineHit } from '@cleveragents/file-tools-domain';
import { looksBinary, searchableText } from '@cleveragents/file-tools-domain';
import { ByteFilter } from './byte-filter.ts';
import type { ExpressionResults, ExpressionWorker } from './expression-worker.ts';
import { presentHitInBytes } from './literal-bytes.ts';
import type { MatchCollector } from './match-collector.ts';
import type { SearchDeadline } from './search-deadline.ts';
import type { SearchLimits } from './search-limits.ts';

const BATCH_BYTES = 2 * 1024 * 1024;
const BATCH_FILES = 4096;
/** While one batch is searched the next one is read. */
const BATCHES_AHEAD = 2;

/** What became of a file when its batch was read: sent along, or left out. */
type Step = { readonly path: string; readonly end?: number };

/** Runs an expression over one file after the other, in a thread of its own. */
export class ExpressionSearch {
  readonly #plan: ExpressionPlan;
  readonly #filter: ByteFilter | undefined;
  readonly #collector: MatchCollector;
  readonly #limits: SearchLimits;
  readonly #deadline: SearchDeadline;
  readonly #worker: ExpressionWorker;
  readonly #ahead: Promise<void>[] = [];
  readonly #idleBuffers: ArrayBuffer[] = [];
  #buffer = new Uint8Array(new ArrayBuffer(BATCH_BYTES));
  #length = 0;
  #steps: Step[] = [];

  constructor(
    plan: ExpressionPlan,
    worker: ExpressionWorker,
    collector: MatchCollector,
    limits: SearchLimits,
    deadline: SearchDeadline,
  ) {
    this.#plan = plan;
    this.#filter = plan.literal === undefined ? undefined : new ByteFilter(plan.literal);
    this.#worker = worker;
    this.#collector = collector;
    this.#limits = limits;
    this.#deadline = deadline;
  }

  visit(path: string, bytes: Uint8Array | undefined): void | Promise<void> {
    if (bytes === undefined || looksBinary(bytes) || bytes.length > this.#limits.maxFileBytes)
      this.#steps.push({ path });
    else if (bytes.length === 0 || this.#filter?.mayHold(bytes) === false) return;
    else if (this.#length + bytes.length > this.#buffer.length || this.#steps.length >= BATCH_FILES)
      return this.#sendAndAppend(path, bytes.slice());
    else this.#append(path, bytes);
  }

  async #sendAndAppend(path: string, bytes: Uint8Array): Promise<void> {
    await this.#send(bytes.length);
    this.#append(path, bytes);
  }

  #append(path: string, bytes: Uint8Array): void {
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    this.#steps.push({ path, end: this.#length });
  }

  async finish(): Promise<void> {
    if (this.#steps.length > 0) await this.#send(0);
    while (this.#ahead.length > 0) await this.#ahead.shift();
  }

  async #send(nextBytes: number): Promise<void> {
    while (this.#ahead.length >= BATCHES_AHEAD) await this.#ahead.shift();
    const steps = this.#steps;
    const ends = steps.flatMap(({ end }) => end ?? []);
    const buffer = this.#buffer.buffer;
    this.#steps = [];
    this.#length = 0;
    this.#buffer = this.#emptyBuffer(nextBytes);
    const answer = this.#worker.run({ plan: this.#plan, buffer, ends, most: this.#collector.wanted });
    const collected = this.#deadline
      .race(answer, () => this.#worker.stop())
      .then((results) => this.#collect(steps, results));
    // It is awaited later, in its turn; until then a failure is nobody's yet.
    collected.catch(() => undefined);
    this.#ahead.push(collected);
  }

  #collect(steps: readonly Step[], { buffer, results }: ExpressionResults): void {
    let start = 0;
    let file = 0;
    for (const { path, end } of steps) {
      if (this.#collector.isFull) return;
      if (end === undefined) {
        this.#collector.skip();
        continue;
      }
      const hits = results.get(file++);
      if (hits !== undefined) this.#add(path, Buffer.from(buffer, start, end - start), hitsOf(hits));
      start = end;
    }
    if (buffer.byteLength === BATCH_BYTES) this.#idleBuffers.push(buffer);
  }

  #add(path: string, bytes: Buffer, hits: readonly LineHit[]): void {
    const { context } = this.#collector;
    // There the positions in the text are those in the bytes, and no more is decoded than is shown.
    if (isAscii(bytes)) this.#collector.add(hits, (hit) => presentHitInBytes(path, bytes, hit, context));
    else this.#collector.addFromText(path, searchableText(bytes), hits);
  }

  /** Memory that has been written before costs nothing more. */
  #emptyBuffer(bytes: number): Uint8Array<ArrayBuffer> {
    const idle = bytes > BATCH_BYTES ? undefined : this.#idleBuffers.pop();
    return new Uint8Array(idle ?? new ArrayBuffer(Math.max(BATCH_BYTES, bytes)));
  }
}

function hitsOf(numbers: readonly number[]): readonly LineHit[] {
  const hits: LineHit[] = [];
  for (let index = 0; index < numbers.length; index += 4) {
    const [line = 0, lineStart = 0, lineEnd = 0, matchStart = 0] = numbers.slice(index, index + 4);
    hits.push({ line, lineStart, lineEnd, matchStart });
  }
  return hits;
}
