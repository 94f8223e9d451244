import { type RelativePath, sha256Hex } from '@cleveragents/shared-kernel';
import type { Uncovered, UncoveredReason } from './coverage.ts';
import { ancestorsOf, PathSet } from './path-set.ts';
import type { SnapshotDifference } from './snapshot.ts';

/** Why a rollback leaves a path as it is. */
export type KeptReason =
  /** The safety snapshot does not hold it, so nothing could bring it back. */
  | UncoveredReason
  /** It was there at the checkpoint, but the checkpoint does not hold it (ignored then, too large then, …). */
  | 'not-covered-then'
  /** A directory in which something else is kept. */
  | 'holds-kept'
  /** It lies below something that is kept and is no directory. */
  | 'parent-kept'
  /** Scope `change-set`: no tool of the plan wrote it. */
  | 'not-written-by-tools'
  /** Scope `change-set`: a tool wrote it, and somebody else did afterwards. */
  | 'changed-since-written';

export interface KeptPath {
  readonly path: string;
  readonly reason: KeptReason;
}

/** What a rollback will do, bound to what it saw. */
export interface RestorePlan {
  /** Sorted by path. `wanted: null` deletes, everything else restores. `present` is what must still be there. */
  readonly steps: readonly SnapshotDifference[];
  /** Sorted by path. */
  readonly kept: readonly KeptPath[];
  /** Changes with every path, hash and mode in `steps`. */
  readonly fingerprint: string;
}

export interface RestoreFacts {
  /** Every path at which the safety snapshot (`present`) and the target (`wanted`) differ. */
  readonly differences: readonly SnapshotDifference[];
  /** What the safety snapshot does not hold. */
  readonly uncoveredNow: readonly Uncovered[];
  /** What the target does not hold. */
  readonly uncoveredThen: readonly Uncovered[];
}

export interface RestoreChoice {
  /** Only these paths, and what lies below them. */
  readonly paths?: readonly RelativePath[] | undefined;
  /** Scope `change-set`: every path that the plan's tools wrote, and whether it still holds what they last wrote. */
  readonly written?: ReadonlyMap<string, 'as-written' | 'changed-since-written'> | undefined;
}

type Verdict = 'restore' | 'delete' | 'not-selected' | KeptReason;
type Verdicts = Map<string, { readonly difference: SnapshotDifference; verdict: Verdict }>;

/**
 * A path that the target holds is restored; a path that only the safety snapshot holds is deleted; what neither holds is not
 * touched, and neither is a path that the target could not hold although it was there. So nothing is ever lost that the
 * safety snapshot cannot bring back.
 */
export function planRestore(facts: RestoreFacts, choice: RestoreChoice = {}): RestorePlan {
  const isSelected = selection(choice.paths);
  const verdicts = eachForItself(facts, choice, isSelected);
  keepDirectoriesThatHoldKept(verdicts, facts.uncoveredNow);
  settleParents(verdicts);
  const all = [...verdicts.values()];
  const steps = all
    .filter(({ verdict }) => verdict === 'restore' || verdict === 'delete')
    .map(({ difference }) => difference)
    .sort(byPath);
  const kept = new Map<string, KeptReason>(
    facts.uncoveredNow.filter(({ path }) => isSelected(path)).map(({ path, reason }) => [path, reason]),
  );
  for (const { difference, verdict } of all)
    if (verdict !== 'restore' && verdict !== 'delete' && verdict !== 'not-selected')
      if (!kept.has(difference.path)) kept.set(difference.path, verdict);
  return {
    steps,
    kept: [...kept].map(([path, reason]) => ({ path, reason })).sort(byPath),
    fingerprint: sha256Hex(JSON.stringify(steps.map(fingerprintOf))),
  };
}

/** Of `paths` those that the facts do not mention: what lies there is the same in both snapshots, or in neither. */
export function unmentionedPaths(
  paths: readonly RelativePath[],
  { differences, uncoveredNow, uncoveredThen }: RestoreFacts,
): readonly RelativePath[] {
  const uncovered = [...uncoveredNow, ...uncoveredThen];
  const mentioned = new PathSet([...differences, ...uncovered].map(({ path }) => [path, true]));
  const exact = new Set<string>(differences.map(({ path }) => path));
  const notLookedAt = new PathSet(uncovered.map(({ path }) => [path, true]));
  return paths.filter(
    (path) => !exact.has(path) && !mentioned.hasBelow(path) && notLookedAt.covering(path) === undefined,
  );
}

function selection(paths: readonly RelativePath[] | undefined): (path: string) => boolean {
  if (paths === undefined) return () => true;
  const chosen = new PathSet(paths.map((path) => [path, true]));
  return (path) => chosen.covering(path) === true;
}

function eachForItself(
  facts: RestoreFacts,
  choice: RestoreChoice,
  isSelected: (path: string) => boolean,
): Verdicts {
  const now = new PathSet(facts.uncoveredNow.map(({ path, reason }) => [path, reason]));
  const then = new PathSet(facts.uncoveredThen.map(({ path, reason }) => [path, reason]));
  const presentBelow = new PathSet(
    facts.differences.filter(({ present }) => present !== null).map(({ path }) => [path, true]),
  );
  const judge = ({ path, present, wanted }: SnapshotDifference): Verdict => {
    if (!isSelected(path)) return 'not-selected';
    const uncovered = now.covering(path);
    if (uncovered !== undefined) return uncovered;
    if (wanted === null && then.covering(path) !== undefined) return 'not-covered-then';
    const verdict = wanted === null ? 'delete' : 'restore';
    if (choice.written === undefined) return verdict;
    const written = choice.written.get(path);
    if (written !== undefined) return written === 'as-written' ? verdict : written;
    const isEmptied = wanted === null && present?.kind === 'directory' && presentBelow.hasBelow(path);
    return isEmptied ? 'delete' : 'not-written-by-tools';
  };
  return new Map(
    facts.differences.map((difference) => [difference.path, { difference, verdict: judge(difference) }]),
  );
}

/** Deepest first, so that what is kept below is known; nothing that both snapshots hold can lie below such a directory. */
function keepDirectoriesThatHoldKept(verdicts: Verdicts, uncoveredNow: readonly Uncovered[]): void {
  const staying = new PathSet(uncoveredNow.map(({ path }) => [path, true]));
  for (const entry of [...verdicts.values()].sort((a, b) => byPath(b.difference, a.difference))) {
    const { path, present, wanted } = entry.difference;
    const goes = present?.kind === 'directory' && wanted?.kind !== 'directory';
    if (goes && isStep(entry.verdict) && staying.hasBelow(path)) entry.verdict = 'holds-kept';
    if (present !== null && !isStep(entry.verdict)) staying.add(path, true);
  }
}

/** A restored path needs its parents: a missing one comes along unasked, one that is kept as a file or link forbids it. */
function settleParents(verdicts: Verdicts): void {
  for (const entry of [...verdicts.values()].sort((a, b) => byPath(a.difference, b.difference))) {
    if (entry.verdict !== 'restore') continue;
    const notYet = ancestorsOf(entry.difference.path)
      .map((ancestor) => verdicts.get(ancestor))
      .filter((parent) => parent !== undefined && !isStep(parent.verdict));
    const isBlocked = notYet.some(
      (parent) => parent?.difference.present != null && parent.difference.present.kind !== 'directory',
    );
    if (isBlocked) entry.verdict = 'parent-kept';
    else
      for (const parent of notYet)
        if (parent !== undefined && parent.difference.present === null) parent.verdict = 'restore';
  }
}

function isStep(verdict: Verdict): boolean {
  return verdict === 'restore' || verdict === 'delete';
}

function fingerprintOf({ path, present, wanted }: SnapshotDifference): readonly unknown[] {
  return [
    path,
    ...[present, wanted].map(
      (entry) =>
        entry && [entry.kind, 'mode' in entry ? entry.mode : 0, 'contentId' in entry ? entry.contentId : ''],
    ),
  ];
}

/** By code unit: a parent before its children, the same on every machine. */
function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
