import type { LeafMode, ObjectId } from '../objects.ts';

/** What git remembers of a file to see that it did not change. Each field is the low 32 bits of what `lstat` said. */
export interface IndexStat {
  readonly ctimeSeconds: number;
  readonly ctimeNanoseconds: number;
  readonly mtimeSeconds: number;
  readonly mtimeNanoseconds: number;
  readonly dev: number;
  readonly ino: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
}

/** 0: merged; 1, 2, 3: base, ours and theirs of a path in conflict. */
export type IndexStage = 0 | 1 | 2 | 3;

/** One entry, to be written. */
export interface IndexEntry {
  readonly path: string;
  readonly mode: LeafMode;
  readonly id: ObjectId;
  /** 0 unless given. */
  readonly stage?: IndexStage;
  /** `UNKNOWN_STAT` unless given: git then reads the file at its next look. */
  readonly stat?: IndexStat;
  readonly assumeValid?: boolean;
  readonly skipWorktree?: boolean;
  readonly intentToAdd?: boolean;
}

/** Matches no file: git reads the file at its next look, and finds out. */
export const UNKNOWN_STAT: IndexStat = {
  ctimeSeconds: 0,
  ctimeNanoseconds: 0,
  mtimeSeconds: 0,
  mtimeNanoseconds: 0,
  dev: 0,
  ino: 0,
  uid: 0,
  gid: 0,
  size: 0,
};

/** SHA-1 of the parts one after the other: 20 bytes. */
export type Sha1 = (parts: readonly Uint8Array[]) => Uint8Array;

/** The facts of `lstat(path, { bigint: true })` that an index keeps. */
export interface BigStat {
  readonly ctimeNs: bigint;
  readonly mtimeNs: bigint;
  readonly dev: bigint;
  readonly ino: bigint;
  readonly uid: bigint;
  readonly gid: bigint;
  readonly size: bigint;
}

const NANOSECONDS = 1_000_000_000n;

/** What an index keeps of `lstat`'s answer: whole fields cut to 32 bits, as git does. */
export function indexStatOf(stat: BigStat): IndexStat {
  const low = (value: bigint): number => Number(BigInt.asUintN(32, value));
  const floor = (value: bigint): bigint => (value - modulo(value)) / NANOSECONDS;
  return {
    ctimeSeconds: low(floor(stat.ctimeNs)),
    ctimeNanoseconds: Number(modulo(stat.ctimeNs)),
    mtimeSeconds: low(floor(stat.mtimeNs)),
    mtimeNanoseconds: Number(modulo(stat.mtimeNs)),
    dev: low(stat.dev),
    ino: low(stat.ino),
    uid: low(stat.uid),
    gid: low(stat.gid),
    size: low(stat.size),
  };
}

/** Nanoseconds into the second, also before 1970. */
function modulo(nanoseconds: bigint): bigint {
  return ((nanoseconds % NANOSECONDS) + NANOSECONDS) % NANOSECONDS;
}
