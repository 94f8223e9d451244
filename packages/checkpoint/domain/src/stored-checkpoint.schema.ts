import type { PlanId } from '@cleveragents/shared-kernel';
import * as z from 'zod';
import { type Checkpoint, CHECKPOINT_TYPES } from './checkpoint.ts';
import { CORRECTION_MODES, type Correction } from './correction.ts';
import { UNCOVERED_REASONS } from './coverage.ts';

/** How stored records are shaped; a reader refuses a version that it does not know. */
export const STORED_SCHEMA_VERSION = 1;

const filled = z.string().min(1);
const instant = z.iso.datetime();
const coverageSchema = z.object({
  file_count: z.int().nonnegative(),
  uncovered_count: z.int().nonnegative(),
  uncovered: z.array(z.object({ path: filled, reason: z.enum(UNCOVERED_REASONS) })),
});

/** A checkpoint as it lies in a file: snake_case, unknown fields kept for whoever wrote them. */
export const storedCheckpointSchema = z.looseObject({
  schema_version: z.literal(STORED_SCHEMA_VERSION),
  checkpoint_id: filled,
  plan_id: filled,
  sandbox_ref: filled,
  created_at: instant,
  sequence: z.int().positive(),
  checkpoint_type: z.enum(CHECKPOINT_TYPES),
  decision_id: filled.optional(),
  resource_id: filled.optional(),
  filesystem_path: filled.optional(),
  size_bytes: z.int().nonnegative().optional(),
  metadata: z.looseObject({
    reason: z.string().optional(),
    source_tool: z.string().optional(),
    phase: z.string().optional(),
  }),
  pinned: z.boolean().optional(),
  coverage: coverageSchema.optional(),
  rollback: z.looseObject({ target_checkpoint_id: filled, is_under_way: z.boolean() }).optional(),
});
export type StoredCheckpoint = z.infer<typeof storedCheckpointSchema>;

export const storedCorrectionSchema = z.looseObject({
  schema_version: z.literal(STORED_SCHEMA_VERSION),
  correction_id: filled,
  plan_id: filled,
  decision_id: filled,
  mode: z.enum(CORRECTION_MODES),
  guidance: z.string(),
  checkpoint_id: filled,
  safety_checkpoint_id: filled.optional(),
  corrected_at: instant,
});
export type StoredCorrection = z.infer<typeof storedCorrectionSchema>;

/** @throws ZodError for anything that is not a stored checkpoint of this version. */
export function checkpointFromStored(raw: unknown): Checkpoint {
  const stored = storedCheckpointSchema.parse(raw);
  return withoutUndefined({
    checkpointId: stored.checkpoint_id,
    planId: stored.plan_id as PlanId,
    sandboxRef: stored.sandbox_ref,
    createdAt: stored.created_at,
    sequence: stored.sequence,
    checkpointType: stored.checkpoint_type,
    decisionId: stored.decision_id,
    resourceId: stored.resource_id,
    filesystemPath: stored.filesystem_path,
    sizeBytes: stored.size_bytes,
    metadata: withoutUndefined({
      reason: stored.metadata.reason,
      sourceTool: stored.metadata.source_tool,
      phase: stored.metadata.phase,
    }),
    pinned: stored.pinned,
    coverage: stored.coverage && {
      fileCount: stored.coverage.file_count,
      uncovered: stored.coverage.uncovered,
      uncoveredCount: stored.coverage.uncovered_count,
    },
    rollback: stored.rollback && {
      targetCheckpointId: stored.rollback.target_checkpoint_id,
      isUnderWay: stored.rollback.is_under_way,
    },
  });
}

export function checkpointToStored(checkpoint: Checkpoint): StoredCheckpoint {
  const { metadata, coverage } = checkpoint;
  return withoutUndefined({
    schema_version: STORED_SCHEMA_VERSION,
    checkpoint_id: checkpoint.checkpointId,
    plan_id: checkpoint.planId,
    sandbox_ref: checkpoint.sandboxRef,
    created_at: checkpoint.createdAt,
    sequence: checkpoint.sequence,
    checkpoint_type: checkpoint.checkpointType,
    decision_id: checkpoint.decisionId,
    resource_id: checkpoint.resourceId,
    filesystem_path: checkpoint.filesystemPath,
    size_bytes: checkpoint.sizeBytes,
    metadata: withoutUndefined({
      reason: metadata.reason,
      source_tool: metadata.sourceTool,
      phase: metadata.phase,
    }),
    pinned: checkpoint.pinned,
    coverage: coverage && {
      file_count: coverage.fileCount,
      uncovered_count: coverage.uncoveredCount,
      uncovered: coverage.uncovered.map(({ path, reason }) => ({ path, reason })),
    },
    rollback: checkpoint.rollback && {
      target_checkpoint_id: checkpoint.rollback.targetCheckpointId,
      is_under_way: checkpoint.rollback.isUnderWay,
    },
  });
}

/** @throws ZodError for anything that is not a stored correction of this version. */
export function correctionFromStored(raw: unknown): Correction {
  const stored = storedCorrectionSchema.parse(raw);
  return withoutUndefined({
    correctionId: stored.correction_id,
    planId: stored.plan_id as PlanId,
    decisionId: stored.decision_id,
    mode: stored.mode,
    guidance: stored.guidance,
    checkpointId: stored.checkpoint_id,
    safetyCheckpointId: stored.safety_checkpoint_id,
    correctedAt: stored.corrected_at,
  });
}

export function correctionToStored(correction: Correction): StoredCorrection {
  return withoutUndefined({
    schema_version: STORED_SCHEMA_VERSION,
    correction_id: correction.correctionId,
    plan_id: correction.planId,
    decision_id: correction.decisionId,
    mode: correction.mode,
    guidance: correction.guidance,
    checkpoint_id: correction.checkpointId,
    safety_checkpoint_id: correction.safetyCheckpointId,
    corrected_at: correction.correctedAt,
  });
}

type WithoutUndefined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

function withoutUndefined<const T extends object>(values: T): WithoutUndefined<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<T>;
}
