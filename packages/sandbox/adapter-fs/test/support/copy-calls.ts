import { FileCopySandbox } from '@cleveragents/sandbox-adapter-fs';
import type { SandboxState } from '@cleveragents/sandbox-domain';
import { FLOW_CLOCK, type SandboxFlow } from '@cleveragents/shared-testing';

export interface CopyPlace {
  readonly root: string;
  readonly sandboxes: string;
  readonly kept: string;
}

export interface FlowRequest extends SandboxFlow {
  readonly place: CopyPlace;
  readonly state: SandboxState;
}

export function openCopy({ root, sandboxes, kept }: CopyPlace, state: SandboxState): FileCopySandbox {
  const folders = { originalPath: root, sandboxFolder: sandboxes, stateFolder: kept };
  return new FileCopySandbox({ resourceId: 'app', ...folders, state, clock: FLOW_CLOCK });
}
