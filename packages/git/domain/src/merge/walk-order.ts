import type { TreeEntry } from '../objects.ts';
import { comparePaths } from '../paths.ts';
import type { Trio } from './merged-path.ts';

/**
 * The names of three directories in the order in which git comes by them when it walks through all three at once: always
 * the smallest of the names that are next in one of them. Where a name is a directory here and a file there that is not the
 * order of either.
 */
export function inWalkOrder(folders: Trio<readonly TreeEntry[]>): readonly Trio<TreeEntry | null>[] {
  const byName = folders.map((entries) => new Map(entries.map((entry) => [entry.name, entry])));
  const positions = [0, 0, 0];
  const visited = new Set<string>();
  const result: Trio<TreeEntry | null>[] = [];
  for (;;) {
    const next = folders.flatMap((entries, tree) => {
      while (visited.has(entries[positions[tree] ?? 0]?.name ?? ''))
        positions[tree] = (positions[tree] ?? 0) + 1;
      return entries[positions[tree] ?? 0]?.name ?? [];
    });
    if (next.length === 0) return result;
    const name = next.reduce((one, two) => (comparePaths(two, one) < 0 ? two : one));
    visited.add(name);
    result.push(byName.map((entries) => entries.get(name) ?? null) as Trio<TreeEntry | null>);
  }
}
