import { type Leaf, type LeafMode, type ObjectId } from '@cleveragents/git-domain';
import { hashBlob } from './stored-object.ts';
import { type FileReading, isLink, readSteadily } from './steady-file.ts';

/** What a tree could say of a file, and how it was read. */
export interface DiskLeaf {
  readonly leaf: Leaf;
  readonly reading: Extract<FileReading, { kind: 'file' | 'link' }>;
}

/**
 * What lies at an address, as a tree would have it; otherwise what kind of thing it is.
 *
 * @param expectedModes where the file system keeps no executable bit: the modes one of which is taken for granted.
 */
export function readDiskLeaf(
  address: string,
  expectedModes: readonly LeafMode[] | null,
): DiskLeaf | Exclude<FileReading['kind'], 'file' | 'link'> {
  const reading = readSteadily(address);
  if (reading.kind !== 'file' && reading.kind !== 'link') return reading.kind;
  const id: ObjectId = hashBlob(reading.bytes);
  return { leaf: { mode: modeOf(reading, expectedModes), id }, reading };
}

function modeOf(
  { stat }: Extract<FileReading, { kind: 'file' | 'link' }>,
  expectedModes: readonly LeafMode[] | null,
): LeafMode {
  if (isLink(stat)) return '120000';
  const bit = stat.mode & 0o100 ? '100755' : '100644';
  const expected = expectedModes?.find((mode) => mode === '100644' || mode === '100755');
  return expected ?? bit;
}

export function isSameLeaf(a: Leaf | null, b: Leaf | null): boolean {
  return a === null || b === null ? a === b : a.mode === b.mode && a.id === b.id;
}
