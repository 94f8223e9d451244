import type { UnsupportedFeature } from '@cleveragents/git-ports';
import { GitError } from '@cleveragents/git-ports';
import type { Git } from './git.ts';
import { NATIVE_ENGINE_MINIMUM_VERSION } from './minimum-version.ts';
import { Deadline } from './shared-parts.ts';

const PATIENCE_MS = 10_000;

/** Null when the installed git is new enough, else what is wrong with it. */
export async function findGitFault(git: Git): Promise<UnsupportedFeature | null> {
  const needed = `git ${NATIVE_ENGINE_MINIMUM_VERSION.replace(/\.0$/, '')} or later`;
  let printed: string;
  try {
    printed = await git.version(new Deadline({ timeoutMs: PATIENCE_MS }));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return {
      feature: 'git-missing',
      detail: `no git can be started as ${git.executable}`,
      wayOut: `Install ${needed}, and see that PATH leads to it.`,
    };
  }
  const version = /^git version (\d+(?:\.\d+)*)/.exec(printed)?.[1];
  if (version !== undefined && isAtLeast(version, NATIVE_ENGINE_MINIMUM_VERSION)) return null;
  return {
    feature: 'git-too-old',
    detail: `the installed git is ${version ?? `unknown (${printed.slice(0, 60)})`}`,
    wayOut: `Install ${needed}.`,
  };
}

export function isAtLeast(version: string, wanted: string): boolean {
  const [have, want] = [version, wanted].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (let at = 0; at < want.length; at++) {
    const difference = (have[at] ?? 0) - (want[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
