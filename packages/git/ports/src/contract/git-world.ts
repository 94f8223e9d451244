import type { WorktreeHost } from '../worktree-host.ts';

/** A real repository, made by whoever runs the contract, and a real git to judge what was done to it. */
export interface GitWorld {
  /** Root of the work tree, links resolved; on branch `main`, without commits at first, with a configured identity. */
  readonly root: string;
  /** An empty folder beside it, for worktrees; absolute. */
  readonly folder: string;
  /** Runs git in the work tree; its output without the last line end. Rejects when git fails. */
  git(...args: readonly string[]): Promise<string>;
  gitIn(directory: string, ...args: readonly string[]): Promise<string>;
  /** Writes a file of the work tree, and the folders above it. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** The same in another work tree. */
  writeIn(directory: string, path: string, content: string | Uint8Array): Promise<void>;
}

export interface WorktreeHostSubject {
  readonly world: GitWorld;
  /** Opens the repository anew. */
  open(): Promise<WorktreeHost>;
}
