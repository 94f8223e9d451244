import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createDeflate, createInflate, inflateSync, type ZlibOptions } from 'node:zlib';
import type { ObjectId } from '@cleveragents/git-domain';
import { type Durability, replaceFile, temporaryName } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import {
  encodeContent,
  type GitObject,
  isObjectType,
  OBJECT_MODE,
  objectHeader,
  type ObjectType,
} from './git-object.ts';
import { storeCorrupt } from './store.errors.ts';

const LEVEL = 1;
/** Holds the header of an object, deflated by whoever. */
const START_BYTES = 128;
/** What zlib calls a stream that is cut off, or altered. */
const DAMAGES = ['Z_BUF_ERROR', 'Z_DATA_ERROR', 'Z_NEED_DICT'] as const;
/** From so many questions on it is cheaper to list a folder than to ask for each name. */
const WORTH_LISTING = 600;

/** Objects that lie in files of their own: few small ones, and every large one, so that dropping one frees its bytes at once. */
export class LooseObjects {
  readonly #path: string;
  readonly #durability: Durability;
  readonly #listed = new Map<string, ReadonlySet<string>>();
  #asked = 0;

  /** @param path of the `objects` folder. */
  constructor(path: string, durability: Durability) {
    this.#path = path;
    this.#durability = durability;
  }

  has(id: ObjectId): boolean {
    return existsSync(this.pathOf(id));
  }

  /** For who holds the store's lock, and asks for many: what was listed since `forgetListed` is not looked at again. */
  isListed(id: ObjectId): boolean {
    if (++this.#asked < WORTH_LISTING) return this.has(id);
    const start = id.slice(0, 2);
    const listed = this.#listed.get(start) ?? new Set(namesIn(join(this.#path, start)));
    this.#listed.set(start, listed);
    return listed.has(id.slice(2));
  }

  forgetListed(): void {
    this.#listed.clear();
    this.#asked = 0;
  }

  read(id: ObjectId): GitObject | null {
    const deflated = this.has(id) ? readIfThere(this.pathOf(id)) : null;
    if (deflated === null) return null;
    const inflated = inflate(id, deflated);
    const end = inflated.indexOf(0);
    const [type = ''] = inflated.toString('latin1', 0, end).split(' ');
    if (!isObjectType(type)) throw storeCorrupt(`object ${id} has no type`, { data: { id } });
    return { type, bytes: inflated.subarray(end + 1) };
  }

  /** Returns the bytes written. */
  write(id: ObjectId, type: ObjectType, bytes: Uint8Array): number {
    const deflated = encodeContent(type, Buffer.concat([objectHeader(type, bytes.length), bytes]));
    mkdirSync(this.#folderOf(id), { recursive: true });
    replaceFile(this.pathOf(id), [deflated], this.#durability, OBJECT_MODE);
    return deflated.length;
  }

  /**
   * Writes a file of any size as a blob without holding it in memory.
   *
   * @param source reads the whole content again at each call; its bytes must be those of `id` and `size`.
   */
  async writeLarge(id: ObjectId, size: number, source: () => AsyncIterable<Uint8Array>): Promise<number> {
    mkdirSync(this.#folderOf(id), { recursive: true });
    const temporary = join(this.#folderOf(id), temporaryName());
    const hash = createHash('sha1');
    async function* withHeader(): AsyncIterable<Uint8Array> {
      yield objectHeader('blob', size);
      yield* source();
    }
    async function* hashed(): AsyncIterable<Uint8Array> {
      for await (const part of withHeader()) {
        hash.update(part);
        yield part;
      }
    }
    try {
      await pipeline(
        hashed(),
        createDeflate({ level: LEVEL }),
        createWriteStream(temporary, { flags: 'wx', mode: 0o444 }),
      );
      if (hash.digest('hex') !== id) throw new Error(`the content changed while blob ${id} was written`);
      await this.#sync(temporary);
      renameSync(temporary, this.pathOf(id));
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    return this.sizeOf(id);
  }

  /** The content of a blob of any size, piece by piece. @throws CheckpointError `SNAPSHOT_STORE_CORRUPT` in the middle. */
  async *stream(id: ObjectId): AsyncGenerator<Uint8Array> {
    const inflate = createInflate();
    const file = createReadStream(this.pathOf(id));
    file.on('error', (error) => inflate.destroy(error));
    try {
      yield* withoutHeader(file.pipe(inflate));
    } catch (cause) {
      throw hasCode(cause, ...DAMAGES)
        ? storeCorrupt(`object ${id} is damaged`, { cause, data: { id } })
        : cause;
    } finally {
      file.destroy();
    }
  }

  /** Bytes of the content that the header promises; `null` when there is no such object. */
  contentSize(id: ObjectId): number | null {
    const start = this.has(id) ? readStart(this.pathOf(id)) : null;
    if (start === null) return null;
    const header = inflate(id, start, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1');
    const [, size] = /^[a-z]+ (\d+)\0/.exec(header) ?? [];
    if (size === undefined) throw storeCorrupt(`object ${id} has no size`, { data: { id } });
    return Number(size);
  }

  sizeOf(id: ObjectId): number {
    return lstatSync(this.pathOf(id), { throwIfNoEntry: false })?.size ?? 0;
  }

  remove(id: ObjectId): void {
    rmSync(this.pathOf(id), { force: true });
  }

  ids(): readonly ObjectId[] {
    return readdirSync(this.#path)
      .filter((name) => /^[0-9a-f]{2}$/.test(name))
      .flatMap((start) =>
        readdirSync(join(this.#path, start))
          .filter((name) => /^[0-9a-f]{38}$/.test(name))
          .map((rest) => (start + rest) as ObjectId),
      );
  }

  pathOf(id: ObjectId): string {
    return join(this.#folderOf(id), id.slice(2));
  }

  #folderOf(id: ObjectId): string {
    return join(this.#path, id.slice(0, 2));
  }

  async #sync(path: string): Promise<void> {
    if (this.#durability === 'process') return;
    const file = await open(path, 'r');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

async function* withoutHeader(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let isInHeader = true;
  for await (const part of content) {
    if (!isInHeader) yield part;
    else {
      const end = part.indexOf(0);
      isInHeader = end === -1;
      if (!isInHeader) yield part.subarray(end + 1);
    }
  }
}

function inflate(id: ObjectId, deflated: Uint8Array, options: ZlibOptions = {}): Buffer {
  try {
    return inflateSync(deflated, options);
  } catch (cause) {
    throw storeCorrupt(`object ${id} is damaged`, { cause, data: { id } });
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** `null`: it went meanwhile. */
function readStart(path: string): Buffer | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
  try {
    const start = Buffer.allocUnsafe(START_BYTES);
    return start.subarray(0, readSync(file, start, 0, START_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
