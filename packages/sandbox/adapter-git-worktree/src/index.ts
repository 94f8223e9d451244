export { gitEngine } from './default-engine.ts';
export { ENGINE_CHOICES, type EngineChoice } from './engine-choice.ts';
export {
  GitWorktreeSandboxFactory,
  type GitWorktreeSandboxFactoryOptions,
} from './git-worktree-sandbox-factory.ts';
export { GitWorktreeSandbox, type GitWorktreeSandboxOptions } from './git-worktree-sandbox.ts';
