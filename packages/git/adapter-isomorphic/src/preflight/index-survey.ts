import type { ObjectId } from '@cleveragents/git-domain';
import type { UnsupportedFeature } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
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
const GITATTRIBUTES = Buffer.from('.gitattributes');

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
  readonly #count: number;
  readonly #attributeFiles: string[] = [];
  readonly #submodules: string[] = [];
  readonly #skipped: string[] = [];
  readonly #large: string[] = [];
  readonly #undecodable: string[] = [];
  readonly #odd: string[] = [];
  #hasSparseFolder = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#count = bytes.readUInt32BE(8);
  }

  run(): IndexSurvey {
    let end = HEADER_BYTES;
    try {
      end = this.#eachEntry((entry) => {
        this.#look(entry);
      });
    } catch (error) {
      if (!hasCode(error, 'ERR_OUT_OF_RANGE') && !(error instanceof BrokenIndexError)) throw error;
      return emptySurvey([
        finding('damaged-index', 'the index ends early', 'Remove it and run `git reset`.'),
      ]);
    }
    return {
      unsupported: [...this.#checkExtensions(end), ...this.#findings()],
      attributeFiles: this.#attributeFiles,
      submodules: this.#submodules,
      files: () => this.#files(),
    };
  }

  /** Gives the offset behind the last entry. */
  #eachEntry(visit: (entry: Entry) => void): number {
    const bytes = this.#bytes;
    let offset = HEADER_BYTES;
    for (let at = 0; at < this.#count; at++) {
      const flags = bytes.readUInt16BE(offset + 60);
      const nameStart = offset + FIXED_BYTES + (flags & EXTENDED ? 2 : 0);
      const short = flags & LONGEST_SHORT_NAME;
      const nameEnd = short < LONGEST_SHORT_NAME ? nameStart + short : bytes.indexOf(0, nameStart + short);
      if (nameEnd < nameStart) throw new BrokenIndexError();
      visit({ offset, flags, nameStart, nameEnd });
      // padded with one to eight NULs, so that each entry takes a multiple of eight bytes
      offset += (nameEnd - offset + 8) & ~7;
    }
    return offset;
  }

  #look(entry: Entry): void {
    const bytes = this.#bytes;
    const mode = bytes.readUInt32BE(entry.offset + 24);
    if (mode === GITLINK) this.#submodules.push(this.#name(entry));
    else if (mode === DIRECTORY) this.#hasSparseFolder = true;
    else if (!MODES.has(mode)) this.#odd.push(`${this.#name(entry)} (${mode.toString(8)})`);
    if (bytes.readUInt32BE(entry.offset + 36) > LARGEST_FILE) this.#large.push(this.#name(entry));
    if (entry.flags & EXTENDED && bytes.readUInt16BE(entry.offset + FIXED_BYTES) & SKIP_WORKTREE)
      this.#skipped.push(this.#name(entry));
    this.#lookAtName(entry);
  }

  #lookAtName(entry: Entry): void {
    const { nameStart, nameEnd } = entry;
    for (let at = nameStart; at < nameEnd; at++)
      if ((this.#bytes[at] as number) > 0x7f) {
        const raw = this.#bytes.subarray(nameStart, nameEnd);
        if (!Buffer.from(raw.toString('utf8')).equals(raw)) this.#undecodable.push(raw.toString('latin1'));
        break;
      }
    const length = GITATTRIBUTES.length;
    if (
      nameEnd - nameStart < length ||
      this.#bytes.compare(GITATTRIBUTES, 0, length, nameEnd - length, nameEnd) !== 0
    )
      return;
    const name = this.#name(entry);
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
          `${this.#skipped.length.toString()} files are marked skip-worktree: ${examples(this.#skipped)}`,
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
    const entries: Entry[] = [];
    this.#eachEntry((entry) => entries.push(entry));
    for (const entry of entries) {
      if (this.#bytes.readUInt32BE(entry.offset + 24) >> 12 !== 0o10) continue;
      const id = this.#bytes.toString('hex', entry.offset + 40, entry.offset + 60) as ObjectId;
      yield { path: this.#name(entry), id };
    }
  }
}

/** An entry's name has no end. */
class BrokenIndexError extends Error {}

interface Entry {
  readonly offset: number;
  readonly flags: number;
  readonly nameStart: number;
  readonly nameEnd: number;
}
