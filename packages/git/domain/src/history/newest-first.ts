import type { HistoryNode } from './commit-graph.ts';

interface Queued {
  readonly node: HistoryNode;
  readonly arrival: number;
}

/** Gives the newest commit first; of equally new ones the one that came first. */
export class NewestFirst {
  readonly #heap: Queued[] = [];
  #arrivals = 0;

  some(test: (node: HistoryNode) => boolean): boolean {
    return this.#heap.some(({ node }) => test(node));
  }

  push(node: HistoryNode): void {
    const heap = this.#heap;
    heap.push({ node, arrival: this.#arrivals++ });
    for (let at = heap.length - 1; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#precedes(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  pop(): HistoryNode | undefined {
    const heap = this.#heap;
    const first = heap[0]?.node;
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return first;
    heap[0] = last;
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      let best = at;
      for (const child of [left, left + 1])
        if (child < heap.length && this.#precedes(child, best)) best = child;
      if (best === at) return first;
      this.#swap(at, best);
      at = best;
    }
  }

  #precedes(at: number, other: number): boolean {
    const [a, b] = [this.#heap[at] as Queued, this.#heap[other] as Queued];
    const difference = b.node.timestampSeconds - a.node.timestampSeconds;
    return difference < 0 || (difference === 0 && a.arrival < b.arrival);
  }

  #swap(at: number, other: number): void {
    const heap = this.#heap;
    [heap[at], heap[other]] = [heap[other] as Queued, heap[at] as Queued];
  }
}
