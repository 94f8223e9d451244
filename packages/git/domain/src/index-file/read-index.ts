import { compareBytes, decodeLatin1, equalBytes } from '../bytes.ts';
import { GitFormatError } from '../git-format.errors.ts';
import { canonicalMode } from '../tree-object.ts';
import type { Sha1 } from './entry.ts';
import {
  entrySize,
  EXTENDED,
  EXTENDED_FLAGS_OFFSET,
  FLAGS_OFFSET,
  HEADER_BYTES,
  LONGEST_LENGTH,
  MODE_OFFSET,
  readUint16,
  readUint32,
  SIGNATURE,
  TRAILER_BYTES,
} from './layout.ts';
import { type IndexExtension, IndexView } from './view.ts';

/**
 * Reads an index of version 2 or 3; the bytes are not copied. The whole structure is checked (bounds, order, modes); the
 * checksum only when `sha1` is given, since it costs more than all the rest. Git itself checks it in `fsck` alone.
 *
 * @throws GitFormatError `GIT_INDEX_CORRUPT`, `GIT_INDEX_VERSION_UNSUPPORTED`, `GIT_INDEX_SPLIT`, `GIT_INDEX_SPARSE`,
 *   `GIT_INDEX_EXTENSION_UNSUPPORTED`.
 */
export function readIndex(bytes: Uint8Array, options: { readonly sha1?: Sha1 } = {}): IndexView {
  if (bytes.length < HEADER_BYTES + TRAILER_BYTES || readUint32(bytes, 0) !== SIGNATURE)
    throw corrupt('it does not begin as an index does');
  const version = readUint32(bytes, 4);
  if (version !== 2 && version !== 3)
    throw new GitFormatError('GIT_INDEX_VERSION_UNSUPPORTED', `index of version ${version}`, {
      hint: 'Run `git update-index --index-version 2` to have it rewritten.',
      data: { version },
    });
  if (options.sha1) checkTrailer(bytes, options.sha1);
  const entries = readEntries(bytes, version);
  const view = new IndexView({
    bytes,
    version,
    ...entries,
    extensions: readExtensions(bytes, entries.entriesEnd),
  });
  checkEntries(view);
  return view;
}

/** A trailer of zeros is that of `index.skipHash`, and fine. */
function checkTrailer(bytes: Uint8Array, sha1: Sha1): void {
  const trailer = bytes.subarray(bytes.length - TRAILER_BYTES);
  if (trailer.every((byte) => byte === 0)) return;
  const content = bytes.subarray(0, bytes.length - TRAILER_BYTES);
  if (!equalBytes(sha1([content]), trailer)) throw corrupt('its checksum is not that of its content');
}

/** A path may be empty here: a split index has such entries, and is told apart by its extension. */
function readEntries(
  bytes: Uint8Array,
  version: 2 | 3,
): { offsets: Uint32Array; pathLengths: Uint32Array; entriesEnd: number } {
  const count = readUint32(bytes, 8);
  const limit = bytes.length - TRAILER_BYTES;
  if (count * entrySize(1, false) > limit) throw corrupt('it ends inside its entries');
  const offsets = new Uint32Array(count);
  const pathLengths = new Uint32Array(count);
  let offset = HEADER_BYTES;
  for (let entry = 0; entry < count; entry++) {
    if (offset + EXTENDED_FLAGS_OFFSET > limit) throw corrupt('it ends inside its entries');
    const flags = readUint16(bytes, offset + FLAGS_OFFSET);
    const extended = (flags & EXTENDED) !== 0;
    if (extended && version === 2) throw corrupt('an entry has flags that version 2 does not know');
    const path = offset + EXTENDED_FLAGS_OFFSET + (extended ? 2 : 0);
    const cut = flags & LONGEST_LENGTH;
    const length = cut === LONGEST_LENGTH ? bytes.indexOf(0, path) - path : cut;
    const size = entrySize(length, extended);
    if (length < 0 || offset + size > limit || bytes[path + length] !== 0)
      throw corrupt('a path is not as long as its entry says');
    offsets[entry] = offset;
    pathLengths[entry] = length;
    offset += size;
  }
  return { offsets, pathLengths, entriesEnd: offset };
}

function readExtensions(bytes: Uint8Array, start: number): readonly IndexExtension[] {
  const extensions: IndexExtension[] = [];
  const limit = bytes.length - TRAILER_BYTES;
  for (let at = start; at < limit;) {
    if (at + 8 > limit) throw corrupt('it ends inside an extension');
    const extension = {
      signature: decodeLatin1(bytes, at, at + 4),
      start: at + 8,
      end: at + 8 + readUint32(bytes, at + 4),
    };
    if (extension.end > limit) throw corrupt('an extension is longer than the index');
    requireOptional(extension.signature);
    extensions.push(extension);
    at = extension.end;
  }
  return extensions;
}

/** Git's rule: what begins with a capital may be ignored by readers who do not know it. */
function requireOptional(signature: string): void {
  if (/^[A-Z]/.test(signature)) return;
  if (signature === 'link')
    throw new GitFormatError('GIT_INDEX_SPLIT', 'the index is split in two files', {
      hint: 'Run `git update-index --no-split-index` to have it put together.',
    });
  if (signature === 'sdir')
    throw new GitFormatError('GIT_INDEX_SPARSE', 'the index holds whole directories as entries', {
      hint: 'Run `git sparse-checkout disable`, or `git sparse-checkout init --no-sparse-index`.',
    });
  throw new GitFormatError('GIT_INDEX_EXTENSION_UNSUPPORTED', `index with an unknown part "${signature}"`, {
    data: { signature },
  });
}

function checkEntries(view: IndexView): void {
  let previous: Uint8Array | null = null;
  for (let entry = 0; entry < view.entryCount; entry++) {
    const bits = readUint32(view.bytes, view.offset(entry) + MODE_OFFSET);
    const mode = canonicalMode(bits);
    if (mode === null || mode === '040000' || Number.parseInt(mode, 8) !== bits)
      throw corrupt(`entry ${entry} has the mode ${bits.toString(8)}`);
    const path = view.pathBytes(entry);
    if (path.length === 0) throw corrupt(`entry ${entry} has no path`);
    const order = previous === null ? -1 : compareBytes(previous, path);
    if (order > 0 || (order === 0 && view.stage(entry - 1) >= view.stage(entry)))
      throw corrupt(`entry ${entry} is out of order`);
    if (order === 0 && view.stage(entry - 1) === 0)
      throw corrupt(`the path of entry ${entry} is merged and in conflict`);
    previous = path;
  }
}

function corrupt(message: string): GitFormatError {
  return new GitFormatError('GIT_INDEX_CORRUPT', `the index is damaged: ${message}`, {
    hint: 'Run `git status`; when git cannot read it either, move it away and run `git reset`.',
  });
}
