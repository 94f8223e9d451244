import type { CommitReader, ObjectId } from '@cleveragents/git-domain';
import type { CapturedTree, CaptureOptions, MergeConflictFact } from '@cleveragents/git-ports';
import type { JournalEntry } from '@cleveragents/shared-adapter-fs';
import type { Pace } from './pace.ts';
import type { RepositoryCore } from './repository.ts';
import type { WorktreeLayout } from './worktree-scan.ts';

/** An engine's repository, as far as what both engines do in a linked worktree needs it. */
export type EngineRepository = RepositoryCore & { readonly objects: CommitReader };

/** Seen from a work tree that is there. */
export type InWorktree<Repository> = Repository & { readonly layout: WorktreeLayout };

export interface FilesToWrite {
  readonly tree: ObjectId;
  /** Of these paths, the index gets the sides, each at its stage, instead of what the tree has. */
  readonly conflicts: readonly MergeConflictFact[];
  readonly pace: Pace;
  /** The operation that this is part of: `recover` ends it when this does not. */
  readonly entry: JournalEntry;
}

export interface CommitToRecord {
  readonly commit: ObjectId;
  readonly branch: { readonly name: string; readonly expected: ObjectId };
  readonly message: string;
}

/** What an engine does in its own way in a linked worktree: reading and making content. */
export interface WorktreeContent<Own extends EngineRepository> {
  /** See `LinkedWorktree.capture`. */
  capture(repository: InWorktree<Own>, options?: CaptureOptions): Promise<CapturedTree>;
  /** Makes the files those of the tree; ignored ones stay. Gives the bytes of the index that goes with them. */
  writeFiles(repository: InWorktree<Own>, files: FilesToWrite): Promise<Uint8Array>;
  /** See `LinkedWorktree.record`. */
  record(repository: InWorktree<Own>, request: CommitToRecord): Promise<void>;
}
