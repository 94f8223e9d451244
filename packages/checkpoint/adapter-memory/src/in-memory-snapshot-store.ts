import { createHash, randomUUID } from 'node:crypto';
import {
  CheckpointError,
  isSameEntry,
  notRestorable,
  type RestorePlan,
  type SnapshotDifference,
  type SnapshotEntry,
  type Uncovered,
} from '@cleveragents/checkpoint-domain';
import type {
  AbandonedSnapshot,
  CapturedSnapshot,
  CaptureOptions,
  SnapshotStore,
} from '@cleveragents/checkpoint-ports';
import type { RelativePath } from '@cleveragents/shared-kernel';
import { type Coverage, coverageOf } from './in-memory-coverage.ts';
import type { InMemoryNode, InMemoryTree } from './in-memory-tree.ts';

interface Snapshot {
  readonly entries: ReadonlyMap<RelativePath, SnapshotEntry>;
  readonly uncovered: readonly Uncovered[];
}

/**
 * Snapshots of in-memory trees, for tests and for agents that work without a disk. Its patterns of `includeIgnored` are paths.
 */
export class InMemorySnapshotStore implements SnapshotStore {
  readonly #trees: ReadonlyMap<string, InMemoryTree>;
  readonly #snapshots = new Map<string, Snapshot>();
  /** By SHA-256. */
  readonly #contents = new Map<string, Uint8Array>();

  /** @param trees by their root; may gain and lose members later. */
  constructor(trees: ReadonlyMap<string, InMemoryTree>) {
    this.#trees = trees;
  }

  async hasRoot(root: string): Promise<boolean> {
    return this.#trees.has(root);
  }

  async capture(root: string, options: CaptureOptions = {}): Promise<CapturedSnapshot> {
    options.signal?.throwIfAborted();
    const also = (options.alsoCover ?? []).map((ref) => this.#snapshot(ref).entries);
    const { covered, uncovered }: Coverage = coverageOf(this.#tree(root), {
      includeIgnored: options.includeIgnored ?? [],
      alsoCover: also,
    });
    const before = this.#storedBytes();
    const entries = new Map(covered.map(([path, node]) => [path, this.#keep(node)]));
    const ref = `memory-${randomUUID()}`;
    this.#snapshots.set(ref, { entries, uncovered });
    const fileCount = covered.filter(([, node]) => node.kind !== 'directory').length;
    return { ref, fileCount, uncovered, addedBytes: this.#storedBytes() - before };
  }

  async uncovered(ref: string): Promise<readonly Uncovered[]> {
    return this.#snapshot(ref).uncovered;
  }

  async diff(present: string | null, wanted: string): Promise<readonly SnapshotDifference[]> {
    const from = present === null ? new Map<RelativePath, SnapshotEntry>() : this.#snapshot(present).entries;
    const to = this.#snapshot(wanted).entries;
    return [...new Set([...from.keys(), ...to.keys()])]
      .map((path) => ({ path, present: from.get(path) ?? null, wanted: to.get(path) ?? null }))
      .filter((difference) => !isSameEntry(difference.present, difference.wanted))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async sha256(
    ref: string,
    paths: readonly RelativePath[],
  ): Promise<ReadonlyMap<RelativePath, string | null>> {
    const { entries } = this.#snapshot(ref);
    return new Map(
      paths.map((path) => {
        const entry = entries.get(path);
        return [path, entry === undefined || entry.kind === 'directory' ? null : entry.contentId];
      }),
    );
  }

  async restore(root: string, plan: RestorePlan): Promise<void> {
    const tree = this.#tree(root);
    requireUnmoved(tree, plan.steps);
    const nodes = plan.steps.map(({ path, wanted }) => [path, wanted && this.#nodeOf(wanted)] as const);
    for (const [path, node] of nodes) if (node?.kind !== 'directory') tree.remove(path);
    for (const [path, node] of nodes) if (node !== null) tree.put(path, node);
  }

  /** A restore in memory is never cut short. */
  async settle(): Promise<void> {}

  async claim(): Promise<void> {}

  /** What dies with its process is not abandoned. */
  async abandoned(): Promise<readonly AbandonedSnapshot[]> {
    return [];
  }

  async release(refs: readonly string[]): Promise<number> {
    for (const ref of refs) this.#snapshots.delete(ref);
    const living = new Set(
      [...this.#snapshots.values()].flatMap(({ entries }) =>
        [...entries.values()].map((entry) => (entry.kind === 'directory' ? '' : entry.contentId)),
      ),
    );
    const before = this.#storedBytes();
    for (const contentId of [...this.#contents.keys()])
      if (!living.has(contentId)) this.#contents.delete(contentId);
    return before - this.#storedBytes();
  }

  #tree(root: string): InMemoryTree {
    const tree = this.#trees.get(root);
    if (tree === undefined)
      throw new CheckpointError('ROLLBACK_SANDBOX_MISSING', 'sandbox is missing', {
        hint: 'Register the in-memory tree under this root.',
        data: { root },
      });
    return tree;
  }

  #snapshot(ref: string): Snapshot {
    const snapshot = this.#snapshots.get(ref);
    if (snapshot === undefined) throw notRestorable(ref);
    return snapshot;
  }

  #keep(node: InMemoryNode): SnapshotEntry {
    if (node.kind === 'directory') return node;
    const bytes = node.kind === 'file' ? node.bytes : new TextEncoder().encode(node.target);
    const contentId = sha256(bytes);
    if (!this.#contents.has(contentId)) this.#contents.set(contentId, bytes.slice());
    return node.kind === 'file' ? { kind: 'file', mode: node.mode, contentId } : { kind: 'link', contentId };
  }

  #nodeOf(entry: SnapshotEntry): InMemoryNode {
    if (entry.kind === 'directory') return entry;
    const bytes = this.#contents.get(entry.contentId);
    if (bytes === undefined) throw notRestorable(entry.contentId);
    return entry.kind === 'file'
      ? { kind: 'file', mode: entry.mode, bytes: bytes.slice() }
      : { kind: 'link', target: new TextDecoder().decode(bytes) };
  }

  #storedBytes(): number {
    return [...this.#contents.values()].reduce((sum, bytes) => sum + bytes.length, 0);
  }
}

function requireUnmoved(tree: InMemoryTree, steps: readonly SnapshotDifference[]): void {
  const leaving = new Set<string>(steps.map(({ path }) => path));
  for (const { path, present, wanted } of steps) {
    if (!isSameEntry(entryOf(tree.get(path)), present)) throw moved(path);
    if (present?.kind !== 'directory' || wanted?.kind === 'directory') continue;
    const stranger = tree.entries().find(([below]) => below.startsWith(`${path}/`) && !leaving.has(below));
    if (stranger !== undefined) throw moved(stranger[0]);
  }
}

function entryOf(node: InMemoryNode | null): SnapshotEntry | null {
  if (node === null || node.kind === 'directory') return node;
  return node.kind === 'file'
    ? { kind: 'file', mode: node.mode, contentId: sha256(node.bytes) }
    : { kind: 'link', contentId: sha256(new TextEncoder().encode(node.target)) };
}

function moved(path: string): CheckpointError {
  return new CheckpointError('ROLLBACK_TREE_MOVED', `${JSON.stringify(path)} changed in between`, {
    hint: 'Nothing was changed; roll back again.',
    data: { path },
  });
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
