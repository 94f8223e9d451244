import type { CheckpointService } from '@cleveragents/checkpoint-application';
import { type Checkpoint, CheckpointNotFoundError } from '@cleveragents/checkpoint-domain';
import type { OfferedTool, ToolHints, ToolOutcome } from '@cleveragents/mcp-ports';
import {
  flagOf,
  outputOf,
  refuseOthers,
  requiredTextOf,
  schemaOf,
  textOf,
  textsOf,
  type ToolInput,
} from './tool-input.ts';

export type CheckpointsForTools = Pick<
  CheckpointService,
  'captureCheckpoint' | 'listCheckpoints' | 'getCheckpoint' | 'rollbackToCheckpoint'
>;

const HINTS: ToolHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
const TEXT = { type: 'string' };
const COUNT = { type: 'integer', minimum: 0 };
const TEXTS = { type: 'array', items: TEXT };
const CHECKPOINT = {
  type: 'object',
  properties: { checkpoint_id: TEXT, sequence: COUNT, created_at: TEXT, type: TEXT, reason: TEXT },
  required: ['checkpoint_id', 'sequence', 'created_at', 'type'],
};

/** What a client may do with the checkpoints of one plan, and of no other. */
export function offerCheckpointTools(
  checkpoints: CheckpointsForTools,
  planId: string,
): readonly OfferedTool[] {
  return [createTool(checkpoints, planId), listTool(checkpoints, planId), rollbackTool(checkpoints, planId)];
}

function createTool(checkpoints: CheckpointsForTools, planId: string): OfferedTool {
  return {
    name: 'checkpoint_create',
    title: 'Take a checkpoint',
    description: 'Keeps the state of the whole sandbox, to go back to with checkpoint_rollback.',
    inputSchema: schemaOf({ reason: { ...TEXT, description: 'Why, for the list.' } }),
    outputSchema: outputOf({ checkpoint: CHECKPOINT }),
    annotations: HINTS,
    call: async (input, { signal }) => {
      refuseOthers(input, ['reason']);
      const request = { planId, reason: textOf(input, 'reason'), signal };
      const { checkpoint } = await checkpoints.captureCheckpoint(request);
      return succeeded({ checkpoint: checkpointJson(checkpoint) });
    },
  };
}

function listTool(checkpoints: CheckpointsForTools, planId: string): OfferedTool {
  return {
    name: 'checkpoint_list',
    title: 'List the checkpoints',
    description: 'The checkpoints of the sandbox, oldest first. Changes nothing.',
    inputSchema: schemaOf({}),
    outputSchema: outputOf({ checkpoints: { type: 'array', items: CHECKPOINT } }),
    annotations: { ...HINTS, readOnlyHint: true, idempotentHint: true },
    call: async (input) => {
      refuseOthers(input, []);
      const list = await checkpoints.listCheckpoints(planId);
      return succeeded({ checkpoints: list.map(checkpointJson) });
    },
  };
}

const ROLLBACK_INPUT = schemaOf(
  {
    checkpoint_id: { ...TEXT, description: 'From checkpoint_list.' },
    dry_run: { type: 'boolean', default: false, description: 'Say what would change, and change nothing.' },
    paths: { ...TEXTS, minItems: 1, description: 'Only these paths and what lies below them.' },
  },
  ['checkpoint_id'],
);

function rollbackTool(checkpoints: CheckpointsForTools, planId: string): OfferedTool {
  return {
    name: 'checkpoint_rollback',
    title: 'Go back to a checkpoint',
    description:
      'Brings the files of the sandbox back to a checkpoint. What was there becomes a checkpoint itself: safety_checkpoint_id.',
    inputSchema: ROLLBACK_INPUT,
    outputSchema: outputOf({
      checkpoint_id: TEXT,
      dry_run: { type: 'boolean' },
      restored_files: TEXTS,
      kept_files: { type: 'array', items: { type: 'object' } },
      safety_checkpoint_id: { type: ['string', 'null'] },
    }),
    annotations: { ...HINTS, destructiveHint: true, idempotentHint: true },
    call: (input, { signal }) => rollBack(checkpoints, planId, input, signal),
  };
}

async function rollBack(
  checkpoints: CheckpointsForTools,
  planId: string,
  input: ToolInput,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  refuseOthers(input, ['checkpoint_id', 'dry_run', 'paths']);
  const checkpointId = requiredTextOf(input, 'checkpoint_id');
  const dryRun = flagOf(input, 'dry_run');
  const paths = textsOf(input, 'paths');
  const target = await checkpoints.getCheckpoint(checkpointId);
  if (target.planId !== planId) throw new CheckpointNotFoundError(checkpointId);
  const result = await checkpoints.rollbackToCheckpoint(planId, checkpointId, { dryRun, paths, signal });
  return succeeded({
    checkpoint_id: result.fromCheckpointId,
    dry_run: dryRun,
    restored_files: result.restoredFiles,
    kept_files: result.keptFiles,
    safety_checkpoint_id: result.safetyCheckpointId,
  });
}

function checkpointJson({
  checkpointId,
  sequence,
  createdAt,
  checkpointType,
  metadata,
}: Checkpoint): Readonly<Record<string, unknown>> {
  return {
    checkpoint_id: checkpointId,
    sequence,
    created_at: createdAt,
    type: checkpointType,
    ...(metadata.reason !== undefined && { reason: metadata.reason }),
  };
}

function succeeded(output: Readonly<Record<string, unknown>>): ToolOutcome {
  return { success: true, output };
}
