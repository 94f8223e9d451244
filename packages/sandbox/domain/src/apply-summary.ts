import type { CommitResult, FileReport, PathAndReason } from './commit-result.schema.ts';
import { strategyFor } from './plan.ts';
import type { PlanRecord } from './plan-record.schema.ts';
import type { SandboxStrategy } from './sandbox-context.schema.ts';

/** What became of a sandbox after its plan was applied. */
export interface CleanupSummary {
  readonly worktreeRemoved: boolean;
  readonly branchDeleted: boolean;
  /** The ref that keeps what the sandbox held beyond the applied result; null when there was nothing. */
  readonly rescuedTo: string | null;
  /** Why the sandbox, or part of it, is still there; empty when it is gone. */
  readonly leftOver: readonly PathAndReason[];
}

/** What an apply did, for a person or a program to read. */
export interface ApplySummary {
  readonly planId: string;
  readonly project: string;
  readonly strategy: SandboxStrategy;
  readonly filesChanged: number;
  readonly insertions: number;
  readonly deletions: number;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly targetBranch: string | null;
  readonly commitRef: string | null;
  readonly mergeRef: string | null;
  readonly files: readonly FileReport[];
  readonly keptFiles: readonly PathAndReason[];
  readonly omittedFiles: readonly PathAndReason[];
  readonly drift: readonly string[];
  /** Null when the sandbox was left for later. */
  readonly cleanup: CleanupSummary | null;
}

export function applySummary(
  plan: Pick<PlanRecord, 'planId' | 'resource'>,
  result: CommitResult,
  at: Date,
  cleanup: CleanupSummary | null,
): ApplySummary {
  return {
    planId: plan.planId,
    project: plan.resource.project,
    strategy: strategyFor(plan.resource.type),
    filesChanged: result.files.length,
    insertions: result.insertions,
    deletions: result.deletions,
    timestamp: at.toISOString(),
    targetBranch: result.targetBranch,
    commitRef: result.commitRef,
    mergeRef: result.mergeRef,
    files: result.files,
    keptFiles: result.keptFiles,
    omittedFiles: result.omittedFiles,
    drift: result.drift,
    cleanup,
  };
}
