import { PathSet } from './path-set.ts';
import type { SnapshotDifference } from './snapshot.ts';

/**
 * The paths whose bytes, kind or mode the steps change. A directory that only comes or goes with what lies in it is not named;
 * an empty one is, and so is one whose mode changes.
 */
export function changedPaths(steps: readonly SnapshotDifference[]): readonly string[] {
  const all = new PathSet(steps.map(({ path }) => [path, true]));
  return steps
    .filter(({ path, present, wanted }) => {
      const comesOrGoes = (present ?? wanted)?.kind === 'directory' && (present === null || wanted === null);
      return !comesOrGoes || !all.hasBelow(path);
    })
    .map(({ path }) => path);
}
