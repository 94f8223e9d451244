import { GitWorktreeSandbox } from '@cleveragents/sandbox-adapter-git-worktree';
import type { SandboxState } from '@cleveragents/sandbox-domain';
import { FLOW_CLOCK, type SandboxFlow } from '@cleveragents/shared-testing';

export interface SandboxPlace {
  readonly originalPath: string;
  readonly sandboxFolder: string;
  readonly state: SandboxState;
}

export type FlowRequest = SandboxFlow & SandboxPlace;

export function openSandbox({ originalPath, sandboxFolder, state }: SandboxPlace): GitWorktreeSandbox {
  return new GitWorktreeSandbox({
    resourceId: 'app',
    originalPath,
    sandboxFolder,
    state,
    clock: FLOW_CLOCK,
  });
}
