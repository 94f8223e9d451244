import { decodeLatin1, encodeUtf8, equalBytes } from '../bytes.ts';
import { type DiffAlgorithm, diffLines } from './line-diff.ts';
import { isBinary, joinLines, splitLines } from './lines.ts';
import {
  findRegions,
  joinNearConflicts,
  type LineRange,
  type MergedFiles,
  type MergeRegion,
  refineConflicts,
  trimConflicts,
} from './merge-regions.ts';

/** What stands behind the markers of a conflict. */
export interface ConflictLabels {
  readonly ours: string;
  readonly theirs: string;
  /** Shown by the styles with the base. */
  readonly base?: string;
}

/** `merge`: both sides; `diff3`: also the base; `zdiff3`: as `diff3`, without lines that both sides share at the ends. */
export type ConflictStyle = 'merge' | 'diff3' | 'zdiff3';

export interface ContentMergeOptions {
  readonly labels: ConflictLabels;
  readonly style?: ConflictStyle;
  /** `histogram` unless given: what `git merge` uses. `git merge-file` uses `myers`. */
  readonly algorithm?: DiffAlgorithm;
  /** Also join conflicts between which only punctuation stands, as `git merge-file` does and `git merge` does not. */
  readonly joinAcrossPunctuation?: boolean;
  /** 7 unless given. */
  readonly markerSize?: number;
}

export type ContentMerge =
  | { readonly kind: 'clean'; readonly bytes: Uint8Array }
  /** `bytes` holds both sides between markers. */
  | { readonly kind: 'conflict'; readonly bytes: Uint8Array; readonly conflictCount: number }
  /** One of the files is binary, and both sides changed it. */
  | { readonly kind: 'binary' };

/**
 * Merges the changes that two sides made to a file, line by line and byte for byte: no encoding is assumed and no line
 * ending touched. Clean or not, the result is that of git's own merge.
 */
export function mergeContents(
  base: Uint8Array,
  ours: Uint8Array,
  theirs: Uint8Array,
  options: ContentMergeOptions,
): ContentMerge {
  if (equalBytes(ours, theirs) || equalBytes(base, theirs)) return { kind: 'clean', bytes: ours };
  if (equalBytes(base, ours)) return { kind: 'clean', bytes: theirs };
  if ([base, ours, theirs].some(isBinary)) return { kind: 'binary' };
  const files = { base: splitLines(base), ours: splitLines(ours), theirs: splitLines(theirs) };
  const regions = regionsOf(files, options);
  const bytes = joinLines(writeRegions(files, regions, options));
  const conflictCount = regions.filter(({ kind }) => kind === 'conflict').length;
  return conflictCount === 0 ? { kind: 'clean', bytes } : { kind: 'conflict', bytes, conflictCount };
}

function regionsOf(files: MergedFiles, options: ContentMergeOptions): readonly MergeRegion[] {
  const { style = 'merge', algorithm = 'histogram', joinAcrossPunctuation = false } = options;
  const [our, their] = [files.ours, files.theirs].map((side) =>
    diffLines(files.base, side, { algorithm, indentHeuristic: false }),
  );
  const regions = findRegions(files, our ?? [], their ?? []);
  if (style === 'diff3') return regions;
  if (style === 'zdiff3') return trimConflicts(files, regions);
  return joinNearConflicts(files, refineConflicts(files, regions, algorithm), joinAcrossPunctuation);
}

function writeRegions(
  files: MergedFiles,
  regions: readonly MergeRegion[],
  options: ContentMergeOptions,
): readonly string[] {
  const parts: (readonly string[])[] = [];
  let written = 0; // lines of ours
  for (const region of regions) {
    if (region.kind === 'agreed') continue;
    parts.push(files.ours.slice(written, region.ours.start));
    if (region.kind === 'ours') parts.push(linesOf(files.ours, region.ours));
    else if (region.kind === 'theirs') parts.push(linesOf(files.theirs, region.theirs));
    else parts.push(writeConflict(files, region, options));
    written = region.ours.start + region.ours.count;
  }
  return [...parts, files.ours.slice(written)].flat();
}

function linesOf(lines: readonly string[], { start, count }: LineRange): readonly string[] {
  return lines.slice(start, start + count);
}

function writeConflict(
  files: MergedFiles,
  region: MergeRegion,
  { labels, style = 'merge', markerSize = 7 }: ContentMergeOptions,
): readonly string[] {
  const lineEnd = hasCarriageReturns(files, region) ? '\r\n' : '\n';
  const marker = (character: string, label?: string): string => {
    const text = label === undefined ? '' : ` ${decodeLatin1(encodeUtf8(label))}`;
    return character.repeat(markerSize) + text + lineEnd;
  };
  const side = (lines: readonly string[], range: LineRange): readonly string[] =>
    linesOf(lines, range).map((line) => (line.endsWith('\n') ? line : line + lineEnd));
  return [
    marker('<', labels.ours),
    ...side(files.ours, region.ours),
    ...(style === 'merge' ? [] : [marker('|', labels.base), ...side(files.base, region.base)]),
    marker('='),
    ...side(files.theirs, region.theirs),
    marker('>', labels.theirs),
  ];
}

/** Whether the lines around the conflict end in CR LF, on both sides, so that the markers should as well. */
function hasCarriageReturns({ base, ours, theirs }: MergedFiles, region: MergeRegion): boolean {
  const verdicts = [
    endsInCarriageReturn(ours, Math.max(region.ours.start - 1, 0)),
    endsInCarriageReturn(theirs, Math.max(region.theirs.start - 1, 0)),
    endsInCarriageReturn(base, 0),
  ];
  return !verdicts.includes(false) && verdicts.at(-1) === true;
}

/** `null`: nothing to tell it by. A last line without an end is taken to be like the one before. */
function endsInCarriageReturn(lines: readonly string[], at: number): boolean | null {
  const line = lines[at];
  if (line === undefined) return null;
  if (line.endsWith('\n')) return line.endsWith('\r\n');
  return at === 0 ? null : (lines[at - 1] as string).endsWith('\r\n');
}
