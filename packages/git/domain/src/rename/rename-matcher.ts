import type { Leaf, ObjectId } from '../objects.ts';
import { isRegular, LEAST_SIMILARITY, SAME, type SimilarityEstimator } from './similarity.ts';

/** A path that a rename may have come from (it is gone) or led to (it is new). */
export interface RenameCandidate {
  readonly path: string;
  readonly leaf: Leaf;
}

export interface RenamePair {
  readonly source: RenameCandidate;
  readonly target: RenameCandidate;
  readonly score: number;
}

const MOST_EXACT_TRIES = 100;
const CANDIDATES_PER_TARGET = 4;
const LEAST_WITH_SAME_NAME = LEAST_SIMILARITY + (SAME - LEAST_SIMILARITY) / 2;

/** What a merge knows beyond the lists of paths. */
export interface BasenameHints {
  isRelevant(source: RenameCandidate): boolean;
  /** Where a file may have gone whose name alone does not tell. */
  guess(source: RenameCandidate): string | null;
  found(pair: RenamePair): void;
}

/**
 * Pairs paths that are gone with paths that are new, in git's three steps: same content, same name and similar content,
 * similar content. Each source and each target is paired once at most; the order of both lists decides between equals.
 */
export class RenameMatcher {
  readonly #estimator: SimilarityEstimator;
  readonly #pairs = new Map<RenameCandidate, RenamePair>();
  readonly #targets: readonly RenameCandidate[];
  #sources: readonly RenameCandidate[];

  constructor(
    estimator: SimilarityEstimator,
    sources: readonly RenameCandidate[],
    targets: readonly RenameCandidate[],
  ) {
    this.#estimator = estimator;
    this.#sources = sources;
    this.#targets = targets;
  }

  /** So far, in the order of the targets. */
  get pairs(): readonly RenamePair[] {
    return this.#targets.flatMap((target) => this.#pairs.get(target) ?? []);
  }

  /** Not paired yet. */
  get sources(): readonly RenameCandidate[] {
    return this.#sources;
  }

  matchExactly(): void {
    const byContent = new Map<ObjectId, RenameCandidate[]>();
    for (const source of this.#sources) {
      const others = byContent.get(source.leaf.id);
      if (others) others.push(source);
      else byContent.set(source.leaf.id, [source]);
    }
    const used = new Set<RenameCandidate>();
    for (const target of this.#targets) {
      const candidates = (byContent.get(target.leaf.id) ?? [])
        .slice(0, MOST_EXACT_TRIES)
        .filter((source) => !used.has(source) && mayBeSame(source.leaf, target.leaf));
      const source = candidates.find((candidate) => hasSameName(candidate, target)) ?? candidates[0];
      if (source === undefined) continue;
      used.add(source);
      this.#pairs.set(target, { source, target, score: SAME });
    }
    this.#sources = this.#sources.filter((source) => !used.has(source));
  }

  /** Pairs files that kept a name which only one source and one target has, if three quarters of the content are the same. */
  async matchByName(hints: BasenameHints | null): Promise<void> {
    const free = this.#targets.filter((target) => !this.#pairs.has(target));
    const sources = uniqueByName(this.#sources);
    const targets = uniqueByName(free);
    const byPath = new Map(free.map((target) => [target.path, target]));
    const used = new Set<RenameCandidate>();
    for (const source of this.#sources) {
      if (hints && !hints.isRelevant(source)) continue;
      const name = nameOf(source.path);
      if (!targets.has(name)) continue;
      const isUnique = sources.get(name) !== null && targets.get(name) !== null;
      const target = isUnique ? targets.get(name) : byPath.get(hints?.guess(source) ?? '');
      if (!target || this.#pairs.has(target)) continue;
      const score = await this.#estimator.estimate(source.leaf, target.leaf, LEAST_WITH_SAME_NAME);
      if (score < LEAST_WITH_SAME_NAME) continue;
      const pair = { source, target, score };
      used.add(source);
      this.#pairs.set(target, pair);
      hints?.found(pair);
    }
    this.#sources = this.#sources.filter((source) => !used.has(source));
  }

  /** Takes sources out of the search. */
  keepSources(isKept: (source: RenameCandidate) => boolean): void {
    this.#sources = this.#sources.filter(isKept);
  }

  /**
   * Compares every source with every target that is left and pairs the most similar first.
   *
   * @param limit gives up, and pairs nothing, when there are more comparisons to make than its square.
   * @returns the pairs that it found, most similar first.
   */
  async matchBySimilarity(limit: number): Promise<readonly RenamePair[]> {
    const free = this.#targets.filter((target) => !this.#pairs.has(target));
    if (free.length * this.#sources.length > limit * limit) return [];
    const candidates: Candidate[] = [];
    for (const target of free) candidates.push(...(await this.#bestSources(target)));
    candidates.sort(compareCandidates);
    const used = new Set<RenameCandidate>();
    const found: RenamePair[] = [];
    for (const { source, target, score } of candidates) {
      if (score < LEAST_SIMILARITY) break;
      if (this.#pairs.has(target) || used.has(source)) continue;
      const pair = { source, target, score };
      used.add(source);
      this.#pairs.set(target, pair);
      found.push(pair);
    }
    this.#sources = this.#sources.filter((source) => !used.has(source));
    return found;
  }

  async #bestSources(target: RenameCandidate): Promise<readonly Candidate[]> {
    const best: (Candidate | null)[] = new Array<null>(CANDIDATES_PER_TARGET).fill(null);
    for (const source of this.#sources) {
      const score = await this.#estimator.estimate(source.leaf, target.leaf, LEAST_SIMILARITY);
      const candidate = { source, target, score, hasSameName: hasSameName(source, target) };
      const worst = best.reduce((at, _, other) => (isWorse(best, other, at) ? other : at), 0);
      const current = best[worst] ?? null;
      if (current === null || compareCandidates(current, candidate) > 0) best[worst] = candidate;
    }
    return best.filter((candidate) => candidate !== null);
  }
}

interface Candidate extends RenamePair {
  readonly hasSameName: boolean;
}

function compareCandidates(a: Candidate, b: Candidate): number {
  return b.score - a.score || Number(b.hasSameName) - Number(a.hasSameName);
}

/** Whether the place `a` is worse than `b`; an empty one is worse than any taken one. */
function isWorse(places: readonly (Candidate | null)[], a: number, b: number): boolean {
  const [one, two] = [places[a] ?? null, places[b] ?? null];
  if (one === null || two === null) return one === null && two !== null;
  return compareCandidates(one, two) > 0;
}

function mayBeSame(source: Leaf, target: Leaf): boolean {
  return source.mode === target.mode || (isRegular(source) && isRegular(target));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function hasSameName(a: RenameCandidate, b: RenameCandidate): boolean {
  return nameOf(a.path) === nameOf(b.path);
}

/** `null` for a name that several have. */
function uniqueByName(candidates: readonly RenameCandidate[]): ReadonlyMap<string, RenameCandidate | null> {
  const names = new Map<string, RenameCandidate | null>();
  for (const candidate of candidates) {
    const name = nameOf(candidate.path);
    names.set(name, names.has(name) ? null : candidate);
  }
  return names;
}
