import type { Leaf, ObjectId, TreeReader } from '../objects.ts';
import { isBinary } from '../text/lines.ts';

/** Similarity of equal files; git counts in these units. */
export const SAME = 60_000;
/** What git asks of a rename unless told otherwise: half of the bytes. */
export const LEAST_SIMILARITY = 30_000;

const BUCKETS = 107_927;
const LONGEST_SPAN = 64;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

interface Sample {
  readonly size: number;
  /** How many bytes of the file lie in spans with each hash. */
  readonly bytesBySpan: ReadonlyMap<number, number>;
}

/** Estimates how much of one file is in another, as git does for renames; reads each file once. */
export class SimilarityEstimator {
  readonly #reader: Pick<TreeReader, 'readBlob'>;
  readonly #samples = new Map<ObjectId, Promise<Sample>>();

  constructor(reader: Pick<TreeReader, 'readBlob'>) {
    this.#reader = reader;
  }

  /** 0 (nothing in common, or certainly below `least`) to `SAME`. Only regular files can be alike. */
  async estimate(source: Leaf, target: Leaf, least: number): Promise<number> {
    if (!isRegular(source) || !isRegular(target)) return 0;
    const [one, two] = await Promise.all([this.#sample(source.id), this.#sample(target.id)]);
    const larger = Math.max(one.size, two.size);
    const difference = larger - Math.min(one.size, two.size);
    if (two.size === 0 || larger * (SAME - least) < difference * SAME) return 0;
    let copied = 0;
    for (const [span, bytes] of one.bytesBySpan) copied += Math.min(bytes, two.bytesBySpan.get(span) ?? 0);
    return Math.floor((copied * SAME) / larger);
  }

  #sample(id: ObjectId): Promise<Sample> {
    let sample = this.#samples.get(id);
    if (sample === undefined) {
      sample = this.#reader.readBlob(id).then(sampleOf);
      this.#samples.set(id, sample);
    }
    return sample;
  }
}

export function isRegular({ mode }: Leaf): boolean {
  return mode === '100644' || mode === '100755';
}

/**
 * Cuts a file into lines, longer ones into spans of 64 bytes, and adds up the bytes by the span's hash. A last piece without
 * a line feed does not count, nor does the CR of a CR LF in text: so it is in git up to version 2.43.
 */
function sampleOf(bytes: Uint8Array): Sample {
  const bytesBySpan = new Map<number, number>();
  const isText = !isBinary(bytes);
  let [length, one, two] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (isText && byte === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED) continue;
    const previous = one;
    one = (((one << 7) ^ (two >>> 25)) + byte) >>> 0;
    two = ((two << 7) ^ (previous >>> 25)) >>> 0;
    if (++length < LONGEST_SPAN && byte !== LINE_FEED) continue;
    const span = ((one + Math.imul(two, 0x61)) >>> 0) % BUCKETS;
    bytesBySpan.set(span, (bytesBySpan.get(span) ?? 0) + length);
    [length, one, two] = [0, 0, 0];
  }
  return { size: bytes.length, bytesBySpan };
}
