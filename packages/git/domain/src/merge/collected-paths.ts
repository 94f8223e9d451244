import type { ObjectId } from '../objects.ts';
import type { RenameCandidate } from '../rename/rename-matcher.ts';
import type { MergedPath, Side, Trio } from './merged-path.ts';

/** Why a merge wants to know where a file went: the other side changed it, or it helps to see where a directory went. */
export type SourceRelevance = 'content' | 'location';

/** Why a merge wants to know where a directory that a side removed went to. */
export type FolderRelevance = 'none' | 'ancestor' | 'self';

/** A directory that only one side changed; it need not be looked into unless a rename may lead there. */
export interface DeferredFolder {
  readonly path: string;
  readonly trees: Trio<ObjectId | null>;
  readonly renameSets: number;
}

/** What a merge knows of one side's renames before it looks for them. */
export interface SideChanges {
  /** Files of the base that this side lacks, in git's order. */
  readonly gone: RenameCandidate[];
  /** Files of this side that the base lacks. */
  readonly added: RenameCandidate[];
  readonly relevantSources: Map<string, SourceRelevance>;
  readonly removedFolders: Map<string, FolderRelevance>;
}

/** What one walk through three trees found. */
export interface CollectedPaths {
  /** Paths that are not the same in all three trees, and their neighbours. */
  readonly paths: Map<string, MergedPath>;
  readonly changes: Readonly<Record<Side, SideChanges>>;
}
