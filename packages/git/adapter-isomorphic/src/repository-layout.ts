/** Where a repository's parts lie. All paths absolute, links resolved. */
export interface RepositoryLayout {
  /** Root of the work tree; null when there is none: bare, or found from inside the git folder. */
  readonly workTree: string | null;
  /** The work tree's own git folder. */
  readonly gitDirectory: string;
  /** The folder that all work trees share; the same as `gitDirectory` unless the work tree is a linked one. */
  readonly commonDirectory: string;
}

/**
 * The repository that `directory` lies in, found as git finds it, but for the GIT_* variables. Null when there is none.
 *
 * @throws GitError `GIT_WORKTREE_BROKEN` for a `.git` file that leads nowhere: git stops there too, it does not climb on.
 */
export async function findRepository(directory: string): Promise<RepositoryLayout | null> {
  throw new Error(`not written yet ${directory}`);
}

/** The file of a git folder by its relative name (`HEAD`, `logs/refs/heads/x`), private or shared as git's layout has it. */
export function gitPath(
  layout: Pick<RepositoryLayout, 'gitDirectory' | 'commonDirectory'>,
  relative: string,
): string {
  throw new Error(`not written yet ${layout.gitDirectory} ${relative}`);
}
