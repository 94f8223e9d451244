import type { CommitReader, ObjectId } from '../objects.ts';
import { CommitGraph, type HistoryNode } from './commit-graph.ts';
import { NewestFirst } from './newest-first.ts';

/**
 * All best common ancestors of two commits, newest first: those that are no ancestor of another one. Several where branches
 * were merged both ways (criss-cross), none for unrelated histories. As `git merge-base --all`.
 */
export async function findMergeBases(
  commits: CommitReader,
  a: ObjectId,
  b: ObjectId,
): Promise<readonly ObjectId[]> {
  return mergeBasesIn(new CommitGraph(commits), a, b);
}

/** Whether one commit is the other or lies in its history. */
export async function isAncestor(
  commits: CommitReader,
  ancestor: ObjectId,
  descendant: ObjectId,
): Promise<boolean> {
  if (ancestor === descendant) return true;
  const { reachable } = await paintDown(new CommitGraph(commits), ancestor, [descendant]);
  return ((reachable.get(ancestor) ?? 0) & OTHERS) !== 0;
}

export async function mergeBasesIn(
  graph: CommitGraph,
  a: ObjectId,
  b: ObjectId,
): Promise<readonly ObjectId[]> {
  if (a === b) return [a];
  const { reachable, common } = await paintDown(graph, a, [b]);
  const candidates = byAge(common.filter(({ id }) => ((reachable.get(id) ?? 0) & STALE) === 0));
  const bases = await withoutAncestorsOfOthers(graph, candidates);
  return byAge(bases).map(({ id }) => id);
}

function byAge(nodes: readonly HistoryNode[]): readonly HistoryNode[] {
  return [...nodes].sort((a, b) => b.timestampSeconds - a.timestampSeconds);
}

const ONE = 1;
const OTHERS = 2;
const STALE = 4;
const RESULT = 8;

interface Paint {
  /** From which side each commit can be reached, as far as the walk went. */
  readonly reachable: ReadonlyMap<ObjectId, number>;
  /** Commits that both sides reach, the newest of each line; with clocks that go wrong some may be ancestors of others. */
  readonly common: readonly HistoryNode[];
}

/**
 * Walks down from both sides, newest commit first, until only ancestors of common commits are left to look at. Needs to
 * read no commit that is older than the common ones, as long as the clocks were right.
 */
async function paintDown(graph: CommitGraph, one: ObjectId, others: readonly ObjectId[]): Promise<Paint> {
  const flags = new Map<ObjectId, number>([[one, ONE]]);
  const queue = new NewestFirst();
  const common: HistoryNode[] = [];
  queue.push(await graph.node(one));
  for (const other of others) {
    flags.set(other, (flags.get(other) ?? 0) | OTHERS);
    queue.push(await graph.node(other));
  }
  const isFresh = ({ id }: HistoryNode): boolean => ((flags.get(id) ?? 0) & STALE) === 0;
  while (queue.some(isFresh)) {
    const node = queue.pop() as HistoryNode;
    const own = flags.get(node.id) ?? 0;
    let inherited = own & (ONE | OTHERS | STALE);
    if (inherited === (ONE | OTHERS)) {
      if ((own & RESULT) === 0) {
        flags.set(node.id, own | RESULT);
        common.push(node);
      }
      inherited |= STALE;
    }
    for (const parent of node.parents) {
      const known = flags.get(parent) ?? 0;
      if ((known & inherited) === inherited) continue;
      flags.set(parent, known | inherited);
      queue.push(await graph.node(parent));
    }
  }
  return { reachable: flags, common };
}

async function withoutAncestorsOfOthers(
  graph: CommitGraph,
  candidates: readonly HistoryNode[],
): Promise<readonly HistoryNode[]> {
  const redundant = new Set<ObjectId>();
  for (const { id } of candidates) {
    const others = candidates.filter((other) => other.id !== id && !redundant.has(other.id));
    if (redundant.has(id) || others.length === 0) continue;
    const { reachable } = await paintDown(
      graph,
      id,
      others.map((other) => other.id),
    );
    if (((reachable.get(id) ?? 0) & OTHERS) !== 0) redundant.add(id);
    for (const other of others) if (((reachable.get(other.id) ?? 0) & ONE) !== 0) redundant.add(other.id);
  }
  return candidates.filter(({ id }) => !redundant.has(id));
}
