import type { RelativePath } from '@cleveragents/shared-kernel';

/** One path of a snapshot. */
export type SnapshotEntry =
  | { readonly kind: 'file'; readonly mode: number; readonly contentId: string }
  | { readonly kind: 'link'; readonly contentId: string }
  | { readonly kind: 'directory'; readonly mode: number };

/** A path at which two snapshots differ; `null` where one of them holds nothing. Never both `null`. */
export interface SnapshotDifference {
  readonly path: RelativePath;
  readonly present: SnapshotEntry | null;
  readonly wanted: SnapshotEntry | null;
}

/** Equal in kind, permission bits and content. */
export function isSameEntry(a: SnapshotEntry | null, b: SnapshotEntry | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.kind === 'link') return b.kind === 'link' && a.contentId === b.contentId;
  if (a.kind !== b.kind || a.mode !== b.mode) return false;
  return a.kind === 'directory' || a.contentId === (b as typeof a).contentId;
}
