import type { Commit, CommitReader, ObjectId, TreeReader, TreeWriter } from '@cleveragents/git-domain';

/**
 * Git's objects, by content. What is written is readable at once, by us and by real git.
 *
 * @throws GitError `GIT_OBJECT_MISSING` when a read object is not there, `GIT_CORRUPT` when it is damaged or of another type.
 */
export interface ObjectStore extends TreeReader, TreeWriter, CommitReader {
  has(id: ObjectId): Promise<boolean>;
  /**
   * Signed where the repository's settings ask for it, by engines that can sign.
   * @param options.sign false: never, because nobody is meant to publish it.
   * @throws GitError `GIT_SIGNING_FAILED`.
   */
  writeCommit(commit: Commit, options?: { readonly sign?: boolean }): Promise<ObjectId>;
}
