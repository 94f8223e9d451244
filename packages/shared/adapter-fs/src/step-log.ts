import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { hasCode } from '@cleveragents/shared-kernel';

/**
 * One JSON line a step, each with a checksum over itself and all before it. The line that a crash tore is as if never
 * written; the next append takes its place.
 */
export class StepLog {
  readonly #path: string;
  readonly #durable: boolean;
  readonly steps: unknown[];
  #length: number;
  #checksum: string;

  private constructor(path: string, durable: boolean, content: Content) {
    this.#path = path;
    this.#durable = durable;
    this.steps = content.steps;
    this.#length = content.length;
    this.#checksum = content.checksum;
  }

  /** @returns null when a line in the middle is damaged: that was no crash. */
  static async open(path: string, durable: boolean): Promise<StepLog | null> {
    const content = parse(await readIfThere(path));
    return content === null ? null : new StepLog(path, durable, content);
  }

  async append(step: unknown): Promise<void> {
    const { line, checksum } = encode(step, this.#checksum);
    const handle = await open(this.#path, 'a+', 0o600);
    try {
      if ((await handle.stat()).size > this.#length) await handle.truncate(this.#length);
      await handle.writeFile(line);
      if (this.#durable) await handle.datasync();
    } finally {
      await handle.close();
    }
    this.#length += line.length;
    this.#checksum = checksum;
    this.steps.push(JSON.parse(JSON.stringify(step)));
  }
}

interface Content {
  readonly steps: unknown[];
  /** Of the part that is whole, in bytes. */
  readonly length: number;
  readonly checksum: string;
}

const CHECKSUM_LENGTH = 16;
const NEW_LINE = 0x0a;

function encode(step: unknown, previous: string): { line: Buffer; checksum: string } {
  const json = JSON.stringify(step);
  const checksum = checksumOf(previous, Buffer.from(json));
  return { line: Buffer.from(`${checksum} ${json}\n`), checksum };
}

function checksumOf(previous: string, json: Uint8Array): string {
  return createHash('sha256').update(previous).update(json).digest('hex').slice(0, CHECKSUM_LENGTH);
}

function parse(bytes: Buffer): Content | null {
  const steps: unknown[] = [];
  let length = 0;
  let checksum = '';
  for (;;) {
    const end = bytes.indexOf(NEW_LINE, length);
    const line = end === -1 ? null : bytes.subarray(length, end);
    const json = line?.subarray(CHECKSUM_LENGTH + 1);
    const expected = json === undefined ? null : checksumOf(checksum, json);
    if (line === null || json === undefined || line.toString('latin1', 0, CHECKSUM_LENGTH) !== expected)
      break;
    steps.push(JSON.parse(json.toString()));
    checksum = expected;
    length = end + 1;
  }
  // A crash tears the last line only: whatever follows a bad line was written when the bad one was whole.
  const firstEnd = bytes.indexOf(NEW_LINE, length);
  const isTornTail = firstEnd === -1 || firstEnd === bytes.length - 1;
  return isTornTail ? { steps, length, checksum } : null;
}

async function readIfThere(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return Buffer.alloc(0);
    throw error;
  }
}
