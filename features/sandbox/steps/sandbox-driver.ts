import type { SandboxContext, SandboxStatus } from '@cleveragents/sandbox-domain';
import type { Sandbox } from '@cleveragents/sandbox-ports';

export interface Setup {
  readonly resourceId?: string;
  readonly originalPath?: string;
  readonly gitTimeout?: number;
}

/** What the sandbox scenarios need of a world, whatever the sandboxes are made of. */
export interface SandboxDriver {
  readonly strategy: SandboxContext['metadata']['strategy'];
  /** With which a commit refuses to overwrite what the user changed. */
  readonly codeForUsersWork: 'SANDBOX_TARGET_DIRTY' | 'SANDBOX_MERGE_CONFLICT';
  /** Makes a project with these files and remembers it. */
  makeProject(files: Readonly<Record<string, string>>): Promise<void>;
  /** A directory that holds files and is under no version control. */
  makePlainDirectory(): Promise<string>;
  /** A sandbox of the project, not created yet. May throw what the constructor throws. */
  setUp(setup?: Setup): Sandbox;
  readProject(path: string): Promise<string | null>;
  writeProject(path: string, text: string): Promise<void>;
  readSandbox(context: SandboxContext, path: string): Promise<string | null>;
  writeSandbox(context: SandboxContext, path: string, text: string): Promise<void>;
  folderExists(context: SandboxContext): Promise<boolean>;
  /** False for a driver without branches. */
  branchExists(context: SandboxContext): Promise<boolean>;
  /** Whether real git takes the name of the sandbox's branch. */
  gitTakesBranch(context: SandboxContext): Promise<boolean>;
  /** What must hold after every step: for real repositories, that real git agrees. */
  verify(status: SandboxStatus): Promise<void>;
  close(): Promise<void>;
}
