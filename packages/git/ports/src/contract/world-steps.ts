import { type ObjectId, parseObjectId } from '@cleveragents/git-domain';
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
