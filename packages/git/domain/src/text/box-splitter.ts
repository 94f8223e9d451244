import { type Box, roughSquareRoot } from './comparison.ts';

/** From this cost on, the search may settle for a good path. */
const LEAST_COST_LIMIT = 256;
const HEURISTIC_COST = 256;
/** A run of equal lines that is worth settling for. */
const LONG_RUN = 20;
const WORTH_FACTOR = 4;
const BEYOND = 0x7fffffff;

/** Told each line, by its position, that is on one side only. */
export interface Marker {
  deleted(position: number): void;
  inserted(position: number): void;
}

interface Task {
  readonly box: Box;
  /** Find the shortest path whatever it costs. */
  readonly exact: boolean;
}

/** Where to cut a box in two; each part is searched on its own. */
interface Cut {
  readonly before: number;
  readonly after: number;
  readonly firstExact: boolean;
  readonly secondExact: boolean;
}

/** How far each diagonal has been followed, in lines of the file before; diagonals `low` to `high`, every second one. */
interface Frontier {
  readonly reached: Int32Array;
  readonly centre: number;
  low: number;
  high: number;
}

/** Myers' search in linear space: cuts a box where the paths from both corners meet, and goes on in the halves. */
export class BoxSplitter {
  readonly #before: Int32Array;
  readonly #after: Int32Array;
  readonly #forward: Int32Array;
  readonly #backward: Int32Array;
  /** Index of diagonal 0 in both arrays. */
  readonly #zero: number;
  readonly #costLimit: number;

  constructor(before: Int32Array, after: Int32Array) {
    this.#before = before;
    this.#after = after;
    const diagonals = before.length + after.length + 3;
    this.#forward = new Int32Array(diagonals + 1);
    this.#backward = new Int32Array(diagonals + 1);
    this.#zero = after.length + 1;
    this.#costLimit = Math.max(roughSquareRoot(diagonals), LEAST_COST_LIMIT);
  }

  search(marker: Marker): void {
    const whole = {
      beforeStart: 0,
      beforeEnd: this.#before.length,
      afterStart: 0,
      afterEnd: this.#after.length,
    };
    const tasks: Task[] = [{ box: whole, exact: false }];
    for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
      const box = this.#shrink(task.box);
      if (box.beforeStart === box.beforeEnd)
        for (let at = box.afterStart; at < box.afterEnd; at++) marker.inserted(at);
      else if (box.afterStart === box.afterEnd)
        for (let at = box.beforeStart; at < box.beforeEnd; at++) marker.deleted(at);
      else tasks.push(...this.#halves(box, task.exact));
    }
  }

  #halves(box: Box, exact: boolean): readonly Task[] {
    const cut = this.#cut(box, exact);
    return [
      { box: { ...box, beforeEnd: cut.before, afterEnd: cut.after }, exact: cut.firstExact },
      { box: { ...box, beforeStart: cut.before, afterStart: cut.after }, exact: cut.secondExact },
    ];
  }

  #shrink({ beforeStart, beforeEnd, afterStart, afterEnd }: Box): Box {
    while (beforeStart < beforeEnd && afterStart < afterEnd && this.#equal(beforeStart, afterStart)) {
      beforeStart++;
      afterStart++;
    }
    while (beforeStart < beforeEnd && afterStart < afterEnd && this.#equal(beforeEnd - 1, afterEnd - 1)) {
      beforeEnd--;
      afterEnd--;
    }
    return { beforeStart, beforeEnd, afterStart, afterEnd };
  }

  #equal(before: number, after: number): boolean {
    return this.#before[before] === this.#after[after];
  }

  #cut(box: Box, exact: boolean): Cut {
    const first = box.beforeStart - box.afterStart;
    const last = box.beforeEnd - box.afterEnd;
    const forward: Frontier = { reached: this.#forward, centre: first, low: first, high: first };
    const backward: Frontier = { reached: this.#backward, centre: last, low: last, high: last };
    forward.reached[this.#zero + first] = box.beforeStart;
    backward.reached[this.#zero + last] = box.beforeEnd;
    const meetsForward = ((first - last) & 1) !== 0;
    for (let cost = 1; ; cost++) {
      this.#widen(forward, box, -1);
      const ahead = this.#goForward(box, forward, meetsForward ? backward : null);
      if (ahead.met) return ahead.met;
      this.#widen(backward, box, BEYOND);
      const behind = this.#goBackward(box, backward, meetsForward ? null : forward);
      if (behind.met) return behind.met;
      if (exact) continue;
      if ((ahead.longRun || behind.longRun) && cost > HEURISTIC_COST) {
        const settled = this.#promising(box, forward, cost, 1) ?? this.#promising(box, backward, cost, -1);
        if (settled) return settled;
      }
      if (cost >= this.#costLimit) return this.#furthest(box, forward, backward);
    }
  }

  /** One diagonal more on each side; at the edge of the box one less. */
  #widen(frontier: Frontier, box: Box, outside: number): void {
    if (frontier.low > box.beforeStart - box.afterEnd)
      frontier.reached[this.#zero + --frontier.low - 1] = outside;
    else frontier.low++;
    if (frontier.high < box.beforeEnd - box.afterStart)
      frontier.reached[this.#zero + ++frontier.high + 1] = outside;
    else frontier.high--;
  }

  #goForward(box: Box, own: Frontier, other: Frontier | null): { met: Cut | null; longRun: boolean } {
    let longRun = false;
    for (let diagonal = own.high; diagonal >= own.low; diagonal -= 2) {
      const at = this.#zero + diagonal;
      const start = Math.max((own.reached[at - 1] as number) + 1, own.reached[at + 1] as number);
      let before = start;
      let after = start - diagonal;
      while (before < box.beforeEnd && after < box.afterEnd && this.#equal(before, after)) {
        before++;
        after++;
      }
      if (before - start > LONG_RUN) longRun = true;
      own.reached[at] = before;
      if (other && isWithin(diagonal, other) && (other.reached[at] as number) <= before)
        return { met: { before, after, firstExact: true, secondExact: true }, longRun };
    }
    return { met: null, longRun };
  }

  #goBackward(box: Box, own: Frontier, other: Frontier | null): { met: Cut | null; longRun: boolean } {
    let longRun = false;
    for (let diagonal = own.high; diagonal >= own.low; diagonal -= 2) {
      const at = this.#zero + diagonal;
      const start = Math.min(own.reached[at - 1] as number, (own.reached[at + 1] as number) - 1);
      let before = start;
      let after = start - diagonal;
      while (before > box.beforeStart && after > box.afterStart && this.#equal(before - 1, after - 1)) {
        before--;
        after--;
      }
      if (start - before > LONG_RUN) longRun = true;
      own.reached[at] = before;
      if (other && isWithin(diagonal, other) && before <= (other.reached[at] as number))
        return { met: { before, after, firstExact: true, secondExact: true }, longRun };
    }
    return { met: null, longRun };
  }

  /** The diagonal that got furthest for its cost and ends in a long run of equal lines, if one is good enough. */
  #promising(box: Box, frontier: Frontier, cost: number, direction: 1 | -1): Cut | null {
    let best = 0;
    let cut: Cut | null = null;
    for (let diagonal = frontier.high; diagonal >= frontier.low; diagonal -= 2) {
      const before = frontier.reached[this.#zero + diagonal] as number;
      const after = before - diagonal;
      const way =
        direction > 0
          ? before - box.beforeStart + (after - box.afterStart)
          : box.beforeEnd - before + (box.afterEnd - after);
      const worth = way - Math.abs(diagonal - frontier.centre);
      if (worth <= WORTH_FACTOR * cost || worth <= best) continue;
      if (!this.#endsInLongRun(box, before, after, direction)) continue;
      best = worth;
      cut = { before, after, firstExact: direction > 0, secondExact: direction < 0 };
    }
    return cut;
  }

  #endsInLongRun(box: Box, before: number, after: number, direction: 1 | -1): boolean {
    const isInside =
      direction > 0
        ? box.beforeStart + LONG_RUN <= before &&
          before < box.beforeEnd &&
          box.afterStart + LONG_RUN <= after &&
          after < box.afterEnd
        : box.beforeStart < before &&
          before <= box.beforeEnd - LONG_RUN &&
          box.afterStart < after &&
          after <= box.afterEnd - LONG_RUN;
    if (!isInside) return false;
    for (let step = 0; step < LONG_RUN; step++) {
      const offset = direction > 0 ? -1 - step : step;
      if (!this.#equal(before + offset, after + offset)) return false;
    }
    return true;
  }

  /** Gives up: cuts where the better of both searches got furthest. */
  #furthest(box: Box, forward: Frontier, backward: Frontier): Cut {
    const ahead = { sum: -1, before: -1 };
    for (let diagonal = forward.high; diagonal >= forward.low; diagonal -= 2) {
      const reached = Math.min(forward.reached[this.#zero + diagonal] as number, box.beforeEnd);
      const before = Math.min(reached, box.afterEnd + diagonal);
      const sum = before * 2 - diagonal;
      if (ahead.sum < sum) Object.assign(ahead, { sum, before });
    }
    const behind = { sum: BEYOND, before: BEYOND };
    for (let diagonal = backward.high; diagonal >= backward.low; diagonal -= 2) {
      const reached = Math.max(backward.reached[this.#zero + diagonal] as number, box.beforeStart);
      const before = Math.max(reached, box.afterStart + diagonal);
      const sum = before * 2 - diagonal;
      if (sum < behind.sum) Object.assign(behind, { sum, before });
    }
    const isAheadBetter =
      box.beforeEnd + box.afterEnd - behind.sum < ahead.sum - (box.beforeStart + box.afterStart);
    const { sum, before } = isAheadBetter ? ahead : behind;
    return { before, after: sum - before, firstExact: isAheadBetter, secondExact: !isAheadBetter };
  }
}

function isWithin(diagonal: number, { low, high }: Frontier): boolean {
  return low <= diagonal && diagonal <= high;
}
