import type { ObjectId } from '@cleveragents/git-domain';
import type { UnsupportedFeature } from '@cleveragents/git-ports';
import { examples, finding } from './finding.ts';

const HEADER_BYTES = 12;
const FIXED_BYTES = 62;
const TRAILER_BYTES = 20;
const LONGEST_SHORT_NAME = 0xfff;
const EXTENDED = 0x4000;
const SKIP_WORKTREE = 0x4000;
const LARGEST_FILE = 256 * 2 ** 20;
const MODES = new Set([0o100644, 0o100755, 0o120000, 0o160000]);
const GITLINK = 0o160000;
const DIRECTORY = 0o040000;
const GITATTRIBUTES_LENGTH = '.gitattributes'.length;

/** What of an index matters before any work begins. */
export interface IndexSurvey {
  readonly unsupported: readonly UnsupportedFeature[];
  /** Paths of the attribute files that it tracks. */
  readonly attributeFiles: readonly string[];
  readonly submodules: readonly string[];
  /** The tracked regular files. Lazily: it is only asked for where attributes call for it. */
  files(): Iterable<{ readonly path: string; readonly id: ObjectId }>;
}

/** One pass over the bytes: an index of 10,000 entries takes a millisecond or two. */
export function surveyIndex(bytes: Buffer | null): IndexSurvey {
  if (bytes === null) return emptySurvey([]);
  if (bytes.length < HEADER_BYTES + TRAILER_BYTES || bytes.toString('latin1', 0, 4) !== 'DIRC')
    return emptySurvey([finding('damaged-index', 'the index is no index', 'Remove it and run `git reset`.')]);
  const version = bytes.readUInt32BE(4);
  if (version !== 2 && version !== 3)
    return emptySurvey([
      finding(
        `index-v${version.toString()}`,
        `the index has version ${version.toString()}`,
        'Use the native engine, or `git update-index --index-version 2`.',
      ),
    ]);
  return new Surveyor(bytes).run();
}

function emptySurvey(unsupported: readonly UnsupportedFeature[]): IndexSurvey {
  return { unsupported, attributeFiles: [], submodules: [], files: () => [] };
}

class Surveyor {
  readonly #bytes: Buffer;
  readonly #attributeFiles: string[] = [];
  readonly #submodules: string[] = [];
  readonly #skipped: string[] = [];
  readonly #large: string[] = [];
  readonly #undecodable: string[] = [];
  readonly #odd: string[] = [];
  #hasSparseFolder = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  run(): IndexSurvey {
    const scan = scanEntries(this.#bytes);
    if (scan === null)
      return emptySurvey([
        finding('damaged-index', 'the index ends early', 'Remove it and run `git reset`.'),
      ]);
    for (const entry of scan.unusual) this.#look(entry);
    return {
      unsupported: [...this.#checkExtensions(scan.end), ...this.#findings()],
      attributeFiles: this.#attributeFiles,
      submodules: this.#submodules,
      files: () => this.#files(),
    };
  }

  #look(entry: Entry): void {
    const bytes = this.#bytes;
    const name = this.#name(entry);
    const mode = bytes.readUInt32BE(entry.offset + 24);
    if (mode === GITLINK) this.#submodules.push(name);
    else if (mode === DIRECTORY) this.#hasSparseFolder = true;
    else if (!MODES.has(mode)) this.#odd.push(`${name} (${mode.toString(8)})`);
    if (bytes.readUInt32BE(entry.offset + 36) > LARGEST_FILE) this.#large.push(name);
    if (entry.flags & EXTENDED && bytes.readUInt16BE(entry.offset + FIXED_BYTES) & SKIP_WORKTREE)
      this.#skipped.push(name);
    const raw = bytes.subarray(entry.nameStart, entry.nameEnd);
    if (!Buffer.from(name).equals(raw)) this.#undecodable.push(raw.toString('latin1'));
    if (name === '.gitattributes' || name.endsWith('/.gitattributes')) this.#attributeFiles.push(name);
  }

  #name({ nameStart, nameEnd }: Entry): string {
    return this.#bytes.toString('utf8', nameStart, nameEnd);
  }

  #checkExtensions(start: number): readonly UnsupportedFeature[] {
    const found: UnsupportedFeature[] = [];
    const bytes = this.#bytes;
    for (let at = start; at + 8 <= bytes.length - TRAILER_BYTES; at += 8 + bytes.readUInt32BE(at + 4)) {
      const signature = bytes.toString('latin1', at, at + 4);
      if (signature === 'link')
        found.push(
          finding(
            'split-index',
            'the index is split',
            'Use the native engine, or `git update-index --no-split-index`.',
          ),
        );
      else if (signature === 'sdir') this.#hasSparseFolder = true;
      else if (/^[a-z]/.test(signature))
        found.push(finding('index-extension', `the index has the extension ${signature}`));
    }
    return found;
  }

  #findings(): readonly UnsupportedFeature[] {
    const found: UnsupportedFeature[] = [];
    if (this.#hasSparseFolder)
      found.push(finding('sparse-index', 'the index holds whole folders as one entry'));
    if (this.#skipped.length > 0)
      found.push(
        finding(
          'sparse-checkout',
          `${this.#skipped.length === 1 ? '1 file is' : `${this.#skipped.length} files are`} marked skip-worktree: ${examples(this.#skipped)}`,
          'Use the native engine, or `git sparse-checkout disable`.',
        ),
      );
    if (this.#large.length > 0)
      found.push(finding('large-file', `more than 256 MB: ${examples(this.#large)}`));
    if (this.#undecodable.length > 0)
      found.push(
        finding(
          'non-utf8-paths',
          `names that are no UTF-8 (shown as Latin-1): ${examples(this.#undecodable)}`,
        ),
      );
    if (this.#odd.length > 0) found.push(finding('legacy-modes', `modes of old: ${examples(this.#odd)}`));
    return found;
  }

  *#files(): Iterable<{ path: string; id: ObjectId }> {
    const bytes = this.#bytes;
    let offset = HEADER_BYTES;
    for (let at = bytes.readUInt32BE(8); at > 0; at--) {
      const entry = entryAt(bytes, offset);
      offset = nextOffset(entry);
      if (bytes.readUInt32BE(entry.offset + 24) >> 12 !== 0o10) continue;
      const id = bytes.toString('hex', entry.offset + 40, entry.offset + 60) as ObjectId;
      yield { path: this.#name(entry), id };
    }
  }
}

interface Entry {
  readonly offset: number;
  readonly flags: number;
  readonly nameStart: number;
  readonly nameEnd: number;
}

interface EntryScan {
  /** All but plain files and links of ordinary size whose names are ASCII; also the attribute files. */
  readonly unusual: readonly Entry[];
  /** Offset behind the last entry. */
  readonly end: number;
}

/**
 * Null for an index that ends early. Bytes are looked at one by one, without a call for each: this runs once in a process,
 * before any of it is compiled, and decides how long that takes.
 */
function scanEntries(bytes: Buffer): EntryScan | null {
  const unusual: Entry[] = [];
  const limit = bytes.length - TRAILER_BYTES;
  let offset = HEADER_BYTES;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    if (offset + FIXED_BYTES > limit) return null;
    const short = (((bytes[offset + 60] as number) << 8) | (bytes[offset + 61] as number)) & 0x4fff;
    let nameEnd = offset + FIXED_BYTES + short;
    let isUnusual = !isPlain(bytes, offset);
    if (short >= LONGEST_SHORT_NAME) {
      const entry = entryAt(bytes, offset);
      isUnusual = true;
      nameEnd = entry.nameEnd;
    }
    if (nameEnd > limit || nameEnd < offset) return null;
    for (let at = offset + FIXED_BYTES; at < nameEnd && !isUnusual; at++)
      isUnusual = (bytes[at] as number) > 0x7f;
    if (isUnusual || endsLikeAttributes(bytes, nameEnd)) unusual.push(entryAt(bytes, offset));
    offset += (nameEnd - offset + 8) & ~7;
  }
  return { unusual, end: offset };
}

/** A regular file or a link of less than 256 MB. */
function isPlain(bytes: Buffer, offset: number): boolean {
  const high = bytes[offset + 26] as number;
  const low = bytes[offset + 27] as number;
  const isKnown = high === 0x81 ? low === 0xa4 || low === 0xed : high === 0xa0 && low === 0;
  return isKnown && (bytes[offset + 36] as number) < 0x10;
}

function endsLikeAttributes(bytes: Buffer, nameEnd: number): boolean {
  return bytes[nameEnd - 1] === 0x73 && bytes[nameEnd - GITATTRIBUTES_LENGTH] === 0x2e;
}

function entryAt(bytes: Buffer, offset: number): Entry {
  const flags = bytes.readUInt16BE(offset + 60);
  const nameStart = offset + FIXED_BYTES + (flags & EXTENDED ? 2 : 0);
  const short = flags & LONGEST_SHORT_NAME;
  const nameEnd = short < LONGEST_SHORT_NAME ? nameStart + short : bytes.indexOf(0, nameStart + short);
  return { offset, flags, nameStart, nameEnd };
}

/** Padded with one to eight NULs, so that each entry takes a multiple of eight bytes. */
function nextOffset({ offset, nameEnd }: Entry): number {
  return offset + ((nameEnd - offset + 8) & ~7);
}
