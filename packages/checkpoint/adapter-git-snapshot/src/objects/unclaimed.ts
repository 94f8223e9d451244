import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AbandonedSnapshot } from '@cleveragents/checkpoint-ports';
import { isProcessAlive, parseProcessMark, processMark, replaceFile } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';

interface Note {
  readonly maker: string;
  readonly claimant: string;
}

/** Notes, a file a snapshot, about who will claim it, and in which process. A note comes before its snapshot and goes after it. */
export class Unclaimed {
  readonly #folder: string;

  constructor(storePath: string) {
    this.#folder = join(storePath, 'unclaimed');
  }

  note(ref: string, claimant: string): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const note: Note = { maker: processMark(), claimant };
    // Lost in a power cut it leaves a snapshot that nobody misses, and loses none.
    replaceFile(join(this.#folder, ref), [Buffer.from(JSON.stringify(note))], 'process', 0o600);
  }

  forget(ref: string): void {
    if (isName(ref)) rmSync(join(this.#folder, ref), { force: true });
  }

  /** Of processes that are dead for certain. */
  abandoned(): readonly AbandonedSnapshot[] {
    return [...this.refs()].flatMap((ref) => {
      const note = this.#read(ref);
      const maker = note === null ? null : parseProcessMark(note.maker);
      if (note === null || maker === null || isProcessAlive(maker)) return [];
      return [{ ref, claimant: note.claimant }];
    });
  }

  /** Snapshots that somebody is still to claim, or died before. */
  refs(): readonly string[] {
    try {
      return readdirSync(this.#folder).filter(isName);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    }
  }

  #read(ref: string): Note | null {
    try {
      const { maker, claimant } = JSON.parse(readFileSync(join(this.#folder, ref), 'utf8')) as Partial<Note>;
      return typeof maker === 'string' && typeof claimant === 'string' ? { maker, claimant } : null;
    } catch (error) {
      if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return null;
      throw error;
    }
  }
}

/** A temporary file that a crash left, or a ref of somebody else, is none. */
function isName(ref: string): boolean {
  return /^[0-9A-Za-z-]+$/.test(ref);
}
