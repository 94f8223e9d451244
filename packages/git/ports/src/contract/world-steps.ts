import { type ObjectId, parseObjectId } from '@cleveragents/git-domain';
import { hasCode as errorHasCode } from '@cleveragents/shared-kernel';
import type { GitErrorCode } from '../git.errors.ts';
import type { WorktreeHost } from '../worktree-host.ts';
import type { GitWorld } from './git-world.ts';

/** Writes the files, stages all there is, and commits. */
export async function commit(
  world: GitWorld,
  files: Readonly<Record<string, string | Uint8Array>> = {},
  message = 'a commit',
): Promise<ObjectId> {
  for (const [path, content] of Object.entries(files)) await world.write(path, content);
  await world.git('add', '-A');
  await world.git('commit', '-q', '--allow-empty', '-m', message);
  return revision(world, 'HEAD');
}

export async function revision(world: GitWorld, name: string): Promise<ObjectId> {
  return parseObjectId(await world.git('rev-parse', '--verify', name));
}

/** Lines of git's answer; none for an empty one. */
export async function lines(answer: Promise<string>): Promise<readonly string[]> {
  return (await answer).split('\n').filter((line) => line !== '');
}

/** A commit of a tree that is there already, written through the host. */
export function commitTree(
  { objects }: WorktreeHost,
  { tree, parents }: { readonly tree: ObjectId; readonly parents: readonly ObjectId[] },
): Promise<ObjectId> {
  const who = { name: 'A', email: 'a@example.invalid', timestampSeconds: 1_700_000_000, offsetMinutes: 0 };
  return objects.writeCommit({ tree, parents, author: who, committer: who, message: 'a commit\n' });
}

/** For `assert.rejects`. */
export function hasCode(code: GitErrorCode): (error: unknown) => boolean {
  return (error) => errorHasCode(error, code);
}
