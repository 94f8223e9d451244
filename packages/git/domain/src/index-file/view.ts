import { compareBytes, decodeLatin1, decodeUtf8, encodeUtf8, hexOf } from '../bytes.ts';
import { GitFormatError } from '../git-format.errors.ts';
import type { LeafMode, ObjectId } from '../objects.ts';
import type { IndexEntry, IndexStage, IndexStat } from './entry.ts';
import {
  ASSUME_VALID,
  decodeStat,
  encodeStat,
  EXTENDED,
  EXTENDED_FLAGS_OFFSET,
  FLAGS_OFFSET,
  ID_OFFSET,
  INTENT_TO_ADD,
  MODE_OFFSET,
  readUint16,
  readUint32,
  SIZE_OFFSET,
  SKIP_WORKTREE,
  writeUint32,
} from './layout.ts';

/** Part of an index behind its entries. `start` and `end` are those of its content in the index's bytes. */
export interface IndexExtension {
  readonly signature: string;
  readonly start: number;
  readonly end: number;
}

/** What `readIndex` found; positions only. */
export interface IndexLayout {
  readonly bytes: Uint8Array;
  readonly version: 2 | 3;
  readonly offsets: Uint32Array;
  readonly pathLengths: Uint32Array;
  readonly entriesEnd: number;
  readonly extensions: readonly IndexExtension[];
}

/**
 * An index as its bytes and the positions of its entries: no object is made per entry until somebody asks. Entries are
 * named by their number, in git's order (path by bytes, then stage).
 *
 * `smudge` and `setStat` change the bytes in place and make the trailing checksum stale; `patchIndex`, also with nothing
 * to set, gives the bytes to write.
 */
export class IndexView {
  readonly bytes: Uint8Array;
  readonly version: 2 | 3;
  readonly entryCount: number;
  /** Where the entries end and the extensions begin. */
  readonly entriesEnd: number;
  readonly extensions: readonly IndexExtension[];
  readonly #offsets: Uint32Array;
  readonly #pathLengths: Uint32Array;

  constructor(layout: IndexLayout) {
    this.bytes = layout.bytes;
    this.version = layout.version;
    this.entryCount = layout.offsets.length;
    this.entriesEnd = layout.entriesEnd;
    this.extensions = layout.extensions;
    this.#offsets = layout.offsets;
    this.#pathLengths = layout.pathLengths;
  }

  /** @throws GitFormatError `GIT_PATH_NOT_UTF8`. */
  path(entry: number): string {
    const bytes = this.pathBytes(entry);
    try {
      return decodeUtf8(bytes);
    } catch (cause) {
      const raw = decodeLatin1(bytes);
      throw new GitFormatError('GIT_PATH_NOT_UTF8', `the path ${JSON.stringify(raw)} is no UTF-8`, {
        data: { latin1: raw },
        cause,
      });
    }
  }

  /** The path's bytes, not copied. */
  pathBytes(entry: number): Uint8Array {
    const start = this.offset(entry) + EXTENDED_FLAGS_OFFSET + (this.#flags(entry) & EXTENDED ? 2 : 0);
    return this.bytes.subarray(start, start + (this.#pathLengths[entry] as number));
  }

  /** Where the entry begins in `bytes`. */
  offset(entry: number): number {
    const offset = this.#offsets[entry];
    if (offset === undefined) throw new Error(`the index has no entry ${entry}`);
    return offset;
  }

  /** Where the next entry begins. */
  endOffset(entry: number): number {
    return this.#offsets[entry + 1] ?? this.entriesEnd;
  }

  idHex(entry: number): ObjectId {
    const start = this.offset(entry) + ID_OFFSET;
    return hexOf(this.bytes, start, start + 20) as ObjectId;
  }

  mode(entry: number): LeafMode {
    return readUint32(this.bytes, this.offset(entry) + MODE_OFFSET)
      .toString(8)
      .padStart(6, '0') as LeafMode;
  }

  stage(entry: number): IndexStage {
    return ((this.#flags(entry) >> 12) & 3) as IndexStage;
  }

  /** `git update-index --assume-unchanged` */
  isAssumedValid(entry: number): boolean {
    return (this.#flags(entry) & ASSUME_VALID) !== 0;
  }

  /** `git update-index --skip-worktree`, sparse checkouts */
  skipsWorktree(entry: number): boolean {
    return (this.#extendedFlags(entry) & SKIP_WORKTREE) !== 0;
  }

  /** `git add --intent-to-add` */
  isIntentToAdd(entry: number): boolean {
    return (this.#extendedFlags(entry) & INTENT_TO_ADD) !== 0;
  }

  stat(entry: number): IndexStat {
    return decodeStat(this.bytes, this.offset(entry));
  }

  /** All of an entry, as one would write it. */
  entry(entry: number): Required<IndexEntry> {
    return {
      path: this.path(entry),
      mode: this.mode(entry),
      id: this.idHex(entry),
      stage: this.stage(entry),
      stat: this.stat(entry),
      assumeValid: this.isAssumedValid(entry),
      skipWorktree: this.skipsWorktree(entry),
      intentToAdd: this.isIntentToAdd(entry),
    };
  }

  /** Number of the entry, or -1. */
  find(path: string, stage: IndexStage = 0): number {
    const wanted = encodeUtf8(path);
    const at = this.firstNotBefore(wanted);
    for (let entry = at; entry < this.entryCount; entry++) {
      if (compareBytes(this.pathBytes(entry), wanted) !== 0) break;
      if (this.stage(entry) === stage) return entry;
    }
    return -1;
  }

  /** Number of the first entry whose path is not before `path`; the count when there is none. */
  firstNotBefore(path: Uint8Array): number {
    let low = 0;
    let high = this.entryCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(this.pathBytes(middle), path) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  extension(signature: string): IndexExtension | null {
    return this.extensions.find((extension) => extension.signature === signature) ?? null;
  }

  /** In place: makes git read the file at its next look, as it does itself with an entry it cannot be sure of. */
  smudge(entry: number): void {
    writeUint32(this.bytes, this.offset(entry) + SIZE_OFFSET, 0);
  }

  /** In place. */
  setStat(entry: number, stat: IndexStat): void {
    encodeStat(stat, this.bytes, this.offset(entry));
  }

  #flags(entry: number): number {
    return readUint16(this.bytes, this.offset(entry) + FLAGS_OFFSET);
  }

  #extendedFlags(entry: number): number {
    if ((this.#flags(entry) & EXTENDED) === 0) return 0;
    return readUint16(this.bytes, this.offset(entry) + EXTENDED_FLAGS_OFFSET);
  }
}
