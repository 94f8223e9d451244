import type { Leaf } from '../objects.ts';
import { isRegular } from '../rename/similarity.ts';
import { type ContentMerge, mergeContents } from '../text/content-merge.ts';
import { isBinary } from '../text/lines.ts';
import type { MergeConflictKind } from './merge-conflict.ts';
import type { MergeContext } from './merge-context.ts';
import { isSameType, OURS, THEIRS, type Trio } from './merged-path.ts';

export interface Versions {
  readonly base: Leaf | null;
  /** Of the same type as `theirs`: both files, both links or both submodules. */
  readonly ours: Leaf;
  readonly theirs: Leaf;
  /** Where each was found, for the markers. */
  readonly names: Trio<string>;
  /** Makes markers longer than usual, where conflicts may come to stand inside conflicts. */
  readonly extraMarkerSize: number;
}

export interface MergedVersion {
  /** `null`: nothing, where a merge of merge bases falls back to a base that was not there. */
  readonly leaf: Leaf | null;
  /** `null`: no conflict. */
  readonly conflict: MergeConflictKind | null;
}

/** Merges mode and content of one file, each on its own. */
export async function mergeVersions(context: MergeContext, versions: Versions): Promise<MergedVersion> {
  const { base, ours, theirs } = versions;
  const takesTheirMode = ours.mode === theirs.mode || ours.mode === base?.mode;
  const mode = takesTheirMode ? theirs.mode : ours.mode;
  const modeConflict = takesTheirMode || theirs.mode === base?.mode ? null : 'mode';
  if (ours.id === theirs.id || ours.id === base?.id)
    return { leaf: { mode, id: theirs.id }, conflict: modeConflict };
  if (theirs.id === base?.id) return { leaf: { mode, id: ours.id }, conflict: modeConflict };
  if (ours.mode === '120000')
    return { leaf: context.depth > 0 ? base : { mode, id: ours.id }, conflict: 'link' };
  if (!isRegular(ours)) return { leaf: mergeSubmodule(context, versions), conflict: 'submodule' };
  const merged = await mergeBytes(context, versions);
  return { leaf: { mode, id: merged.leaf.id }, conflict: merged.conflict ?? modeConflict };
}

/** Which commit of the submodule has both changes, only the submodule's repository could tell. */
function mergeSubmodule({ depth }: MergeContext, { base, ours }: Versions): Leaf | null {
  if (depth === 0) return ours;
  return base;
}

async function mergeBytes(
  { drafts, labels, style, depth }: MergeContext,
  { base, ours, theirs, names, extraMarkerSize }: Versions,
): Promise<{ leaf: Leaf; conflict: MergeConflictKind | null }> {
  const usableBase = isSameType(base, ours) ? base : null;
  const [baseBytes, ourBytes, theirBytes] = await Promise.all([
    usableBase ? drafts.read(usableBase.id) : new Uint8Array(),
    drafts.read(ours.id),
    drafts.read(theirs.id),
  ]);
  const isMoved = new Set(names).size > 1;
  const label = (text: string, name: string): string => (isMoved ? `${text}:${name}` : text);
  // without a base an empty file is a version like any other, not "unchanged"
  const cannotMerge = usableBase === null && [ourBytes, theirBytes].some(isBinary);
  const options = {
    labels: {
      ours: label(labels.ours, names[OURS]),
      base: label(labels.base, names[0]),
      theirs: label(labels.theirs, names[THEIRS]),
    },
    style,
    markerSize: 7 + extraMarkerSize,
  };
  const merged: ContentMerge = cannotMerge
    ? { kind: 'binary' }
    : mergeContents(baseBytes, ourBytes, theirBytes, options);
  if (merged.kind !== 'binary') {
    const conflict = merged.kind === 'clean' ? null : usableBase ? 'content' : 'add/add';
    return { leaf: { mode: ours.mode, id: drafts.add(merged.bytes, ours.id) }, conflict };
  }
  if (depth === 0) return { leaf: ours, conflict: 'binary' };
  return { leaf: usableBase ?? { mode: ours.mode, id: drafts.add(baseBytes, ours.id) }, conflict: null };
}
