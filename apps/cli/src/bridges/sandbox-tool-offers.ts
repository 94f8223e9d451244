import type { OfferedTool, ToolHints, ToolOutcome } from '@cleveragents/mcp-ports';
import type { PlanLifecycleService } from '@cleveragents/sandbox-application';
import type { ApplySummary } from '@cleveragents/sandbox-domain';
import type { SandboxChanges } from '@cleveragents/sandbox-ports';
import { outputOf, refuseOthers, schemaOf, textOf } from './tool-input.ts';

export type PlansForTools = Pick<PlanLifecycleService, 'show' | 'changes' | 'patch' | 'apply'>;

const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const MOST_PATCH_BYTES = 256 * 1024;

const TEXT = { type: 'string' };
const COUNT = { type: 'integer', minimum: 0 };
const FILES = {
  type: 'array',
  items: {
    type: 'object',
    properties: { path: TEXT, kind: TEXT, insertions: COUNT, deletions: COUNT },
    required: ['path', 'kind', 'insertions', 'deletions'],
  },
};
const OMITTED = {
  type: 'array',
  items: { type: 'object', properties: { path: TEXT, reason: TEXT }, required: ['path', 'reason'] },
};

/** What a client may ask of the sandbox that a plan has. */
export function offerSandboxTools(plans: PlansForTools, planId: string): readonly OfferedTool[] {
  return [statusTool(plans, planId), diffTool(plans, planId)];
}

function statusTool(plans: PlansForTools, planId: string): OfferedTool {
  return {
    name: 'sandbox_status',
    title: 'Show the sandbox',
    description:
      'Says what became of the plan and which files of the sandbox differ from the project. Changes nothing.',
    inputSchema: schemaOf({}),
    outputSchema: outputOf({
      plan_id: TEXT,
      status: TEXT,
      files: FILES,
      insertions: COUNT,
      deletions: COUNT,
      omitted_files: OMITTED,
    }),
    annotations: READS,
    call: async (input, { signal }) => {
      refuseOthers(input, []);
      const { status } = await plans.show(planId);
      return succeeded({ plan_id: planId, status, ...changesJson(await plans.changes(planId, { signal })) });
    },
  };
}

function diffTool(plans: PlansForTools, planId: string): OfferedTool {
  return {
    name: 'sandbox_diff',
    title: 'Show the changes as a patch',
    description: `The changes of the sandbox against the project, as a git patch, its first ${MOST_PATCH_BYTES / 1024} KiB. Changes nothing.`,
    inputSchema: schemaOf({}),
    outputSchema: outputOf({
      plan_id: TEXT,
      patch: TEXT,
      truncated: { type: 'boolean' },
      total_bytes: COUNT,
    }),
    annotations: READS,
    call: async (input, { signal }) => {
      refuseOthers(input, []);
      const patch = await plans.patch(planId, { signal });
      return succeeded({
        plan_id: planId,
        patch: Buffer.from(patch.subarray(0, MOST_PATCH_BYTES)).toString('utf8'),
        truncated: patch.length > MOST_PATCH_BYTES,
        total_bytes: patch.length,
      });
    },
  };
}

/** To be offered only when the user allowed it: it changes the project itself. */
export function offerPlanApply(plans: PlansForTools, planId: string): OfferedTool {
  return {
    name: 'plan_apply',
    title: 'Apply the plan',
    description:
      "Commits the sandbox's changes into the project's branch, as a whole or not at all, and removes the sandbox. The user can undo it.",
    inputSchema: schemaOf({ message: { ...TEXT, description: 'Message of the commit.' } }),
    outputSchema: outputOf({
      plan_id: TEXT,
      target_branch: { type: ['string', 'null'] },
      commit_ref: { type: ['string', 'null'] },
      files: FILES,
      insertions: COUNT,
      deletions: COUNT,
      omitted_files: OMITTED,
    }),
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    },
    call: async (input, { signal }) => {
      refuseOthers(input, ['message']);
      const summary = await plans.apply(planId, { message: textOf(input, 'message'), signal });
      return succeeded(appliedJson(summary));
    },
  };
}

function appliedJson(summary: ApplySummary): Readonly<Record<string, unknown>> {
  const { planId, targetBranch, commitRef } = summary;
  return { plan_id: planId, target_branch: targetBranch, commit_ref: commitRef, ...changesJson(summary) };
}

function changesJson({
  files,
  insertions,
  deletions,
  omittedFiles,
}: Pick<SandboxChanges, 'files' | 'insertions' | 'deletions' | 'omittedFiles'>): Readonly<
  Record<string, unknown>
> {
  return {
    files: files.map((file) => ({
      path: file.path,
      kind: file.kind,
      insertions: file.insertions,
      deletions: file.deletions,
    })),
    insertions,
    deletions,
    omitted_files: omittedFiles.map(({ path, reason }) => ({ path, reason })),
  };
}

function succeeded(output: Readonly<Record<string, unknown>>): ToolOutcome {
  return { success: true, output };
}
