import { createHash } from 'node:crypto';
import { mergeContents } from '@cleveragents/git-domain';
import { type Entry, leafOf, sameEntry } from './entry.ts';

/** One path on three sides. `ours` is the plan's, `theirs` the project's. */
export interface ThreeSides {
  readonly path: string;
  readonly base: Entry | null;
  readonly ours: Entry | null;
  readonly theirs: Entry | null;
  /** Of a side that is a file: what it holds. */
  readonly read: (side: 'base' | 'ours' | 'theirs') => Uint8Array;
}

export type MergeKind = 'content' | 'binary' | 'both-added' | 'deleted-by-us' | 'deleted-by-them' | 'type';

export interface PathMerge {
  /** What the path is to hold. */
  readonly result: Entry | null;
  /** The bytes of a result that is neither side's; null when it is one of them. */
  readonly bytes: Uint8Array | null;
  /** Null: both sides agree, or only one of them changed anything. */
  readonly conflict: {
    readonly kind: MergeKind;
    readonly detail: string;
    /** Both versions stand in one file, between markers; otherwise the project's is to be put beside, where there is one. */
    readonly hasMarkers: boolean;
  } | null;
}

const LABELS = { ours: 'plan', theirs: 'project' };

/** What becomes of a path that either side may have changed. */
export function mergePath(sides: ThreeSides): PathMerge {
  const { base, ours, theirs } = sides;
  if (sameEntry(ours, theirs) || sameEntry(base, theirs)) return plain(ours);
  if (sameEntry(base, ours)) return plain(theirs);
  if (ours?.kind === 'directory' && theirs?.kind === 'directory')
    return plain(sameEntry(base, ours) ? theirs : ours);
  if (leafOf(ours) === null && leafOf(theirs) === null) return plain(ours ?? theirs);
  if (ours === null)
    return conflicting(theirs, 'deleted-by-us', 'the plan deleted it and the project changed it: kept');
  if (theirs === null)
    return conflicting(ours, 'deleted-by-them', 'the project deleted it and the plan changed it: kept');
  if (ours.kind !== 'file' || theirs.kind !== 'file')
    return conflicting(ours, 'type', 'each side made something else of it');
  return mergeFiles(sides, ours, theirs);
}

type FileEntry = Extract<Entry, { kind: 'file' }>;

function mergeFiles({ path, base, read }: ThreeSides, ours: FileEntry, theirs: FileEntry): PathMerge {
  const baseFile = base?.kind === 'file' ? base : null;
  const mode = baseFile !== null && ours.mode === baseFile.mode ? theirs.mode : ours.mode;
  if (ours.sha256 === theirs.sha256) return plain({ ...ours, mode });
  if (baseFile?.sha256 === ours.sha256) return plain({ ...theirs, mode });
  if (baseFile?.sha256 === theirs.sha256) return plain({ ...ours, mode });
  if (isInsideRepository(path))
    return conflicting(ours, 'binary', 'both sides changed this file of a repository');
  const before = baseFile === null ? new Uint8Array() : read('base');
  const merge = mergeContents(before, read('ours'), read('theirs'), { labels: LABELS });
  if (merge.kind === 'binary') return conflicting(ours, 'binary', 'both sides changed a binary file');
  const result = fileOf(merge.bytes, mode);
  if (merge.kind === 'clean') return { result, bytes: merge.bytes, conflict: null };
  const kind = baseFile === null ? 'both-added' : 'content';
  const detail = 'both sides changed the same lines';
  return { result, bytes: merge.bytes, conflict: { kind, detail, hasMarkers: true } };
}

/** Text or not, a line more in one of these is a broken repository. */
function isInsideRepository(path: string): boolean {
  return path.split('/').includes('.git');
}

function plain(result: Entry | null): PathMerge {
  return { result, bytes: null, conflict: null };
}

function conflicting(result: Entry | null, kind: MergeKind, detail: string): PathMerge {
  return { result, bytes: null, conflict: { kind, detail, hasMarkers: false } };
}

export function fileOf(bytes: Uint8Array, mode: number): FileEntry {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { kind: 'file', mode, size: bytes.length, sha256 };
}
