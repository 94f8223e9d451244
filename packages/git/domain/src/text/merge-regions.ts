import { type DiffAlgorithm, diffLines, type Hunk } from './line-diff.ts';

/** A run of lines of one file. */
export interface LineRange {
  readonly start: number;
  readonly count: number;
}

/**
 * A part of three files that both sides do not agree on. Lines between regions are the same in both sides. `ours` and
 * `theirs`: only that side changed the part; `agreed`: a conflict that turned out to be none.
 */
export interface MergeRegion {
  readonly kind: 'ours' | 'theirs' | 'conflict' | 'agreed';
  readonly base: LineRange;
  readonly ours: LineRange;
  readonly theirs: LineRange;
}

export interface MergedFiles {
  readonly base: readonly string[];
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
}

/** The regions of a three-way merge before any refinement. Changes that touch or overlap become one region. */
export function findRegions(
  files: MergedFiles,
  ourHunks: readonly Hunk[],
  theirHunks: readonly Hunk[],
): MergeRegion[] {
  const regions: MergeRegion[] = [];
  const ends = {
    ours: files.ours.length - files.base.length,
    theirs: files.theirs.length - files.base.length,
  };
  let [ourAt, theirAt] = [0, 0];
  for (;;) {
    const our = ourHunks[ourAt];
    const their = theirHunks[theirAt];
    if (!our && !their) return regions;
    if (our && (!their || endOf(our) < their.beforeStart)) {
      addRegion(regions, oneSided('ours', our, their ? their.afterStart - their.beforeStart : ends.theirs));
      ourAt++;
    } else if (their && (!our || endOf(their) < our.beforeStart)) {
      addRegion(regions, oneSided('theirs', their, our ? our.afterStart - our.beforeStart : ends.ours));
      theirAt++;
    } else if (our && their) {
      if (!isSameChange(files, our, their)) addRegion(regions, overlap(our, their));
      if (endOf(our) >= endOf(their)) theirAt++;
      if (endOf(their) >= endOf(our)) ourAt++;
    }
  }
}

function endOf(hunk: Hunk): number {
  return hunk.beforeStart + hunk.beforeCount;
}

/** @param shift how much further down lines of the base stand in the side that did not change. */
function oneSided(kind: 'ours' | 'theirs', hunk: Hunk, shift: number): MergeRegion {
  const base = { start: hunk.beforeStart, count: hunk.beforeCount };
  const changed = { start: hunk.afterStart, count: hunk.afterCount };
  const unchanged = { start: hunk.beforeStart + shift, count: hunk.beforeCount };
  return kind === 'ours'
    ? { kind, base, ours: changed, theirs: unchanged }
    : { kind, base, ours: unchanged, theirs: changed };
}

function isSameChange({ ours, theirs }: MergedFiles, our: Hunk, their: Hunk): boolean {
  return (
    our.beforeStart === their.beforeStart &&
    our.beforeCount === their.beforeCount &&
    our.afterCount === their.afterCount &&
    range(our.afterCount).every((at) => ours[our.afterStart + at] === theirs[their.afterStart + at])
  );
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at);
}

/** Both hunks, each side filled up with unchanged lines to the union of what they replace. */
function overlap(our: Hunk, their: Hunk): MergeRegion {
  const start = Math.min(our.beforeStart, their.beforeStart);
  const end = Math.max(endOf(our), endOf(their));
  const side = (hunk: Hunk): LineRange => ({
    start: hunk.afterStart - (hunk.beforeStart - start),
    count: hunk.beforeStart - start + hunk.afterCount + (end - endOf(hunk)),
  });
  return { kind: 'conflict', base: { start, count: end - start }, ours: side(our), theirs: side(their) };
}

/** Appends; one that touches the last region on either side is joined to it. */
function addRegion(regions: MergeRegion[], region: MergeRegion): void {
  const last = regions.at(-1);
  const touches =
    last && (region.ours.start <= rangeEnd(last.ours) || region.theirs.start <= rangeEnd(last.theirs));
  if (!touches) regions.push(region);
  else regions[regions.length - 1] = joined(last, region, last.kind === region.kind ? last.kind : 'conflict');
}

function rangeEnd({ start, count }: LineRange): number {
  return start + count;
}

function joined(first: MergeRegion, second: MergeRegion, kind: MergeRegion['kind']): MergeRegion {
  const span = (a: LineRange, b: LineRange): LineRange => ({ start: a.start, count: rangeEnd(b) - a.start });
  return {
    kind,
    base: span(first.base, second.base),
    ours: span(first.ours, second.ours),
    theirs: span(first.theirs, second.theirs),
  };
}

/** Splits each conflict into the parts in which both sides really differ. */
export function refineConflicts(
  files: MergedFiles,
  regions: readonly MergeRegion[],
  algorithm: DiffAlgorithm,
): readonly MergeRegion[] {
  return regions.flatMap((region): MergeRegion | MergeRegion[] => {
    if (region.kind !== 'conflict' || region.ours.count === 0 || region.theirs.count === 0) return region;
    const ours = files.ours.slice(region.ours.start, rangeEnd(region.ours));
    const theirs = files.theirs.slice(region.theirs.start, rangeEnd(region.theirs));
    const hunks = diffLines(ours, theirs, { algorithm, indentHeuristic: false });
    if (hunks.length === 0) return { ...region, kind: 'agreed' };
    return hunks.map((hunk) => ({
      ...region,
      ours: { start: region.ours.start + hunk.beforeStart, count: hunk.beforeCount },
      theirs: { start: region.theirs.start + hunk.afterStart, count: hunk.afterCount },
    }));
  });
}

/** Takes lines that both sides share off the ends of each conflict, and leaves the base as it is. */
export function trimConflicts(files: MergedFiles, regions: readonly MergeRegion[]): readonly MergeRegion[] {
  return regions.map((region) => {
    if (region.kind !== 'conflict') return region;
    const { ours, theirs } = region;
    const shorter = Math.min(ours.count, theirs.count);
    let head = 0;
    while (head < shorter && files.ours[ours.start + head] === files.theirs[theirs.start + head]) head++;
    let tail = 0;
    while (
      tail < shorter - head &&
      files.ours[rangeEnd(ours) - 1 - tail] === files.theirs[rangeEnd(theirs) - 1 - tail]
    )
      tail++;
    const cut = (side: LineRange): LineRange => ({
      start: side.start + head,
      count: side.count - head - tail,
    });
    return { ...region, ours: cut(ours), theirs: cut(theirs) };
  });
}

const SHORTEST_GAP = 3;

/**
 * Joins conflicts that are three lines apart or less: that reads better than the markers between them. With
 * `ignorePunctuation` also conflicts between which no letter and no digit stands.
 */
export function joinNearConflicts(
  files: MergedFiles,
  regions: readonly MergeRegion[],
  ignorePunctuation: boolean,
): readonly MergeRegion[] {
  const result: MergeRegion[] = [];
  for (const region of regions) {
    const last = result.at(-1);
    if (last?.kind === 'conflict' && region.kind === 'conflict') {
      const between = files.ours.slice(rangeEnd(last.ours), region.ours.start);
      const isNear =
        between.length <= SHORTEST_GAP ||
        (ignorePunctuation && !between.some((line) => /[A-Za-z0-9]/.test(line)));
      if (isNear) {
        result[result.length - 1] = { ...joined(last, region, 'conflict'), base: last.base };
        continue;
      }
    }
    result.push(region);
  }
  return result;
}
