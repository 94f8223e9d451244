import { IsomorphicEngine } from '@cleveragents/git-adapter-isomorphic';
import type { GitEngine } from '@cleveragents/git-ports';
import { ChoosingGitEngine, type EngineChoice } from './engine-choice.ts';

/**
 * The engines that come with this package. The one place where this adapter names another context's adapters; see
 * docs/adr. The native one is loaded when it is first needed.
 */
export function gitEngine(choice: EngineChoice = 'auto'): GitEngine {
  let native: Promise<GitEngine> | null = null;
  return new ChoosingGitEngine(choice, {
    isomorphic: new IsomorphicEngine(),
    native: () => (native ??= loadNative()),
  });
}

async function loadNative(): Promise<GitEngine> {
  const { NativeGitEngine } = await import('@cleveragents/git-adapter-native');
  return new NativeGitEngine();
}

/** @param engine as a caller gave it: one of their own, the name of one of ours, or nothing. */
export function engineOf(engine: GitEngine | EngineChoice | undefined): GitEngine {
  return typeof engine === 'object' ? engine : gitEngine(engine);
}
