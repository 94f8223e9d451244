import type { VisitResult, Walk, WalkEntry, WalkOptions } from '@cleveragents/shared-kernel';
import { isGitName } from '@cleveragents/shared-kernel';
import type { Directory, Node } from './in-memory-tree.ts';

/** Walks a tree of plain objects as an adapter walks a disk. */
export class InMemoryWalk implements Walk {
  truncated = false;
  readonly unreadable = 0;
  readonly #start: () => { directory: Directory; names: readonly string[] };
  readonly #options: WalkOptions;
  #entriesLeft: number;

  constructor(start: () => { directory: Directory; names: readonly string[] }, options: WalkOptions) {
    this.#start = start;
    this.#options = options;
    this.#entriesLeft = options.maxEntries;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WalkEntry, void, undefined> {
    this.#options.signal?.throwIfAborted();
    const start = this.#start();
    for (const entry of this.#contentsOf(start.directory, start.names, 1)) {
      this.#options.signal?.throwIfAborted();
      yield entry;
    }
  }

  async each(visit: (entry: WalkEntry) => VisitResult | Promise<VisitResult>): Promise<void> {
    for await (const entry of this) if ((await visit(entry)) === false) return;
  }

  *#contentsOf(
    from: Directory,
    names: readonly string[],
    depth: number,
  ): Generator<WalkEntry, void, undefined> {
    if (depth > 1 && from.entries.has('.git')) return;
    const { filter } = this.#options;
    filter?.enter(names.join('/'), (name, maxBytes) => {
      const node = from.entries.get(name);
      return node?.kind === 'file' ? node.bytes.slice(0, maxBytes) : undefined;
    });
    const keys = [...from.entries].flatMap(([name, node]) => {
      if (filter?.leavesOut([...names, name].join('/'), node.kind) === true) return [];
      const descends = node.kind === 'directory' && this.#options.recursive && !isGitName(name);
      return descends ? [name, `${name}/`] : [name];
    });
    for (const key of keys.sort()) {
      const name = key.replace(/\/$/, '');
      const node = from.entries.get(name);
      if (node === undefined) continue;
      if (key !== name && node.kind === 'directory') {
        if (depth < this.#options.maxDepth) yield* this.#contentsOf(node, [...names, name], depth + 1);
        else this.truncated = true;
      } else if (this.#entriesLeft-- > 0) yield entryOf(node, [...names, name].join('/'));
      else {
        this.truncated = true;
        return;
      }
    }
  }
}

function entryOf(node: Node, path: string): WalkEntry {
  return {
    path,
    type: node.kind,
    size: node.kind === 'file' ? node.bytes.length : 0,
    read: (maxBytes) => (node.kind === 'file' ? node.bytes.slice(0, maxBytes) : undefined),
    lend: () => undefined,
  };
}
