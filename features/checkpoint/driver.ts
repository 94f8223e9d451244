import type { CheckpointService, CorrectionService } from '@cleveragents/checkpoint-application';
import type { CheckpointRepository, CorrectionLog } from '@cleveragents/checkpoint-ports';

/** A plan's sandbox, as the agent that works in it sees it. Paths are relative to its root. */
export interface SandboxFiles {
  readonly root: string;
  write(path: string, content: string): Promise<void>;
  /** `null`: there is no such file. */
  read(path: string): Promise<string | null>;
  /** From now on exactly these files are ignored. */
  ignore(paths: readonly string[]): Promise<void>;
  /** Everything that the agent put there is lost. */
  empty(): Promise<void>;
}

/** A system that claims to keep checkpoints: services wired to adapters, and what stands around them. */
export interface CheckpointDriver {
  /** Which adapters: named when a step fails. */
  readonly name: string;
  readonly service: CheckpointService;
  readonly corrections: CorrectionService;
  readonly audit: CorrectionLog;
  /** The very records, behind the service's back. */
  readonly repository: CheckpointRepository;
  makeSandbox(): Promise<SandboxFiles>;
  /** Takes the present state of a sandbox and returns a ref that checkpoints can stand for. */
  captureState(sandbox: SandboxFiles): Promise<string>;
  /** What the owner of plans answers from now on. */
  ownerSays(
    planId: string,
    state: { readonly isApplied: boolean; readonly sandboxPath: string | null },
  ): void;
  addEntryWithoutCheckpoint(planId: string): Promise<void>;
  loseEntries(planId: string): Promise<void>;
  close(): Promise<void>;
}
