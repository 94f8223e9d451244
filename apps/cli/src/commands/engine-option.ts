import { Option } from 'commander';
import type { EngineChoice } from '@cleveragents/sandbox-adapter-git-worktree';

const CHOICES: readonly EngineChoice[] = ['auto', 'isomorphic', 'native'];
const DESCRIPTION = 'git engine of new sandboxes: auto, isomorphic, or native (the installed git)';

/** An early one, before the command's name, has neither default nor variable: those are the command's own. */
export function engineOption(place: 'command' | 'early'): Option {
  const option = new Option('--engine <name>', DESCRIPTION).choices(CHOICES);
  return place === 'early' ? option : option.default('auto').env('CLEVERAGENTS_GIT_ENGINE');
}
