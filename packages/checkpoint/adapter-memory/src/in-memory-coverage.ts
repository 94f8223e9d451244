import { ancestorsOf, PathSet, type Uncovered } from '@cleveragents/checkpoint-domain';
import type { RelativePath } from '@cleveragents/shared-kernel';
import type { InMemoryNode, InMemoryTree } from './in-memory-tree.ts';

export interface Coverage {
  readonly covered: readonly (readonly [path: RelativePath, node: InMemoryNode])[];
  readonly uncovered: readonly Uncovered[];
}

/** An ignored directory in which something is covered is covered itself; else it stands for all below it. */
export function coverageOf(
  tree: InMemoryTree,
  wish: {
    readonly includeIgnored: readonly string[];
    readonly alsoCover: readonly ReadonlyMap<RelativePath, unknown>[];
  },
): Coverage {
  const asked = new PathSet(wish.includeIgnored.map((path) => [path, true]));
  const isCovered = (path: RelativePath): boolean =>
    !tree.isIgnored(path) || asked.covering(path) === true || wish.alsoCover.some((held) => held.has(path));
  const entries = tree.entries();
  const covered = new Set<string>();
  for (const [path] of entries)
    if (isCovered(path)) for (const one of [...ancestorsOf(path), path]) covered.add(one);
  const outermost = entries.filter(
    ([path]) => !covered.has(path) && ancestorsOf(path).every((ancestor) => covered.has(ancestor)),
  );
  return {
    covered: entries.filter(([path]) => covered.has(path)),
    uncovered: outermost.map(([path]) => ({ path, reason: 'ignored' })),
  };
}
