import type { IndexStat, Leaf, ObjectId } from '@cleveragents/git-domain';
import type { PathFacts } from '@cleveragents/git-ports';
import type { JournalEntry } from '@cleveragents/shared-adapter-fs';
import type { ObjectDatabase } from './object-database.ts';
import type { Pace } from './pace.ts';
import type { WorktreeLayout } from './worktree-scan.ts';

/** How one path changes in the index. */
export interface IndexChange {
  readonly path: string;
  readonly before: Leaf | null;
  readonly after: Leaf | null;
}

/** What an engine found where a branch is about to move, and its part in moving it. */
export interface BranchSurvey {
  readonly facts: readonly PathFacts[];
  /** @param folder private, on the file system of the work tree; it is removed in the end. */
  stage(folder: string, pace: Pace): Promise<StagedFiles>;
  /** The bytes of the index with all changes in it. @param stats of the files that came, by path. */
  nextIndex(folder: string, stats: ReadonlyMap<string, IndexStat>): Promise<Uint8Array>;
}

/** Files to exchange, by their bytes. */
export interface StagedFiles extends Pick<ObjectDatabase, 'readBlobSync'> {
  /**
   * The facts, with leaves that name bytes as they lie on the disk. These are the ones that git keeps, unless git converts
   * files; what they name besides that is `readBlobSync`'s affair.
   */
  readonly facts: readonly PathFacts[];
}

/** Looks at a work tree under all locks. */
export type SurveyWorkTree = (
  layout: WorktreeLayout,
  move: { readonly from: ObjectId; readonly to: ObjectId },
  pace: Pace,
) => Promise<BranchSurvey>;

/** What an engine does in its own way when it sets right what a dead process left. */
export interface EngineRecovery {
  /** Ends a restore that was cut short. */
  finishRestore(entry: JournalEntry): Promise<void>;
  /** The bytes of the index with those changes in it that it does not have yet; null when it has them all. */
  advanceIndex(layout: WorktreeLayout, entries: readonly IndexChange[]): Promise<Uint8Array | null>;
}
