export {
  GitWorktreeSandboxFactory,
  type GitWorktreeSandboxFactoryOptions,
} from './git-worktree-sandbox-factory.ts';
export { GitWorktreeSandbox, type GitWorktreeSandboxOptions } from './git-worktree-sandbox.ts';
