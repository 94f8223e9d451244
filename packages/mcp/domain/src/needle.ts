import type { Root } from './root.ts';
import {
  jsonSpelling,
  plainSpelling,
  type Spelling,
  windowsJsonSpelling,
  windowsSpelling,
} from './spelling.ts';

/** One spelling of one root, to be looked for in a text. */
export interface Needle {
  readonly root: Root;
  /** The name of the root, as it is, in its own case. */
  readonly isPlain: boolean;
  /** The first place at or after `from`, or -1. */
  indexIn(text: string, from: number): number;
  /** Where it ends that begins at `start`. */
  endAt(text: string, start: number): number;
  /** How the path is written that begins with what stands between `start` and `end`. */
  spellingAt(text: string, start: number, end: number): Spelling;
}

function literalNeedle(root: Root, spelled: string, spelling: Spelling): Needle {
  return {
    root,
    isPlain: spelling === plainSpelling && spelled === root.prefix,
    indexIn: (text, from) => text.indexOf(spelled, from),
    endAt: (_text, start) => start + spelled.length,
    spellingAt: () => spelling,
  };
}

const escapeExpression = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Literal letters and one-of-three separators: no part of the expression can be read in two ways. */
function windowsNeedle(root: Root): Needle {
  const parts = root.prefix.split(root.separator).map(escapeExpression);
  const expression = new RegExp(parts.join('(?:\\\\\\\\|\\\\|/)'), 'gi');
  const indexIn = (text: string, from: number): number => {
    expression.lastIndex = from;
    return expression.exec(text)?.index ?? -1;
  };
  return {
    root,
    isPlain: false,
    indexIn,
    endAt: (text, start) => (indexIn(text, start) === start ? expression.lastIndex : start),
    spellingAt: (text, start, end) =>
      /[^\\]\\\\[^\\]/.test(text.slice(start, end)) || (root.bare && text.startsWith('\\\\', end))
        ? windowsJsonSpelling
        : windowsSpelling,
  };
}

/** Every way in which `root` may stand in a text. */
export function needlesOf(root: Root): readonly Needle[] {
  if (root.style === 'windows') return [windowsNeedle(root)];
  const needles = new Map<string, Spelling>();
  const plain = root.prefix === '' ? '/' : root.prefix;
  needles.set(plain, plainSpelling);
  for (const slashes of [false, true])
    for (const letters of [false, true]) {
      const spelling = jsonSpelling({ slashes, letters });
      const spelled = spelling.write(plain);
      if (!needles.has(spelled)) needles.set(spelled, spelling);
    }
  return [...needles].map(([spelled, spelling]) => literalNeedle(root, spelled, spelling));
}

/** All places of all needles, from left to right; each needle reads each part of the text once. */
export class NeedleSearch {
  readonly #needles: readonly Needle[];
  readonly #text: string;
  /** Where each needle stands next; `Infinity` when it does not come again. */
  readonly #starts: number[] = [];

  constructor(needles: readonly Needle[], text: string) {
    this.#needles = needles;
    this.#text = text;
    for (const needle of needles) this.#starts.push(orInfinity(needle.indexIn(text, 0)));
  }

  /** The leftmost place at or after `from` at which a needle stands, or `Infinity`. */
  next(from: number): number {
    let nearest = Infinity;
    for (let index = 0; index < this.#needles.length; index += 1) {
      let start = this.#starts[index] ?? Infinity;
      if (start < from) {
        start = orInfinity(this.#needles[index]?.indexIn(this.#text, from) ?? -1);
        this.#starts[index] = start;
      }
      if (start < nearest) nearest = start;
    }
    return nearest;
  }

  /** The leftmost place that `next` knows of all needles but one, or `Infinity`. */
  nextBeside(needle: Needle): number {
    return this.#starts.reduce(
      (nearest, start, index) => (this.#needles[index] === needle ? nearest : Math.min(nearest, start)),
      Infinity,
    );
  }

  /** The first needle at `start`, the place that `next` named, that `accepts`; in their order. */
  needleAt(start: number, accepts: (needle: Needle) => boolean): Needle | undefined {
    for (let index = 0; index < this.#needles.length; index += 1) {
      const needle = this.#needles[index];
      if (this.#starts[index] === start && needle !== undefined && accepts(needle)) return needle;
    }
    return undefined;
  }
}

const orInfinity = (index: number): number => (index === -1 ? Infinity : index);
