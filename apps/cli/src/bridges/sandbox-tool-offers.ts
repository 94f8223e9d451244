import type { OfferedTool, ToolHints, ToolInvocation, ToolOutcome } from '@cleveragents/mcp-ports';
import type { PlanLifecycleService } from '@cleveragents/sandbox-application';
import type { ApplySummary } from '@cleveragents/sandbox-domain';
import type { CallOptions, SandboxChanges } from '@cleveragents/sandbox-ports';
import { ValidationError } from '@cleveragents/shared-kernel';
import { progressWords } from '../progress.ts';
import { linkToDiff } from './sandbox-resources.ts';
import { countOf, outputOf, refuseOthers, schemaOf, textOf } from './tool-input.ts';

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
    call: async (input, invocation) => {
      refuseOthers(input, []);
      const { status } = await plans.show(planId);
      const changes = await plans.changes(planId, callOptions('Looking for changes', invocation));
      return succeeded({ plan_id: planId, status, ...changesJson(changes) });
    },
  };
}

function diffTool(plans: PlansForTools, planId: string): OfferedTool {
  return {
    name: 'sandbox_diff',
    title: 'Show the changes as a patch',
    description: `The changes of the sandbox against the project, as a git patch, at most ${MOST_PATCH_BYTES / 1024} KiB at once: go on at next_offset. Changes nothing.`,
    inputSchema: schemaOf({
      offset: {
        ...COUNT,
        default: 0,
        description: 'Where to go on, in bytes. The patch is made anew for each call.',
      },
    }),
    outputSchema: outputOf({
      plan_id: TEXT,
      patch: TEXT,
      truncated: { type: 'boolean' },
      total_bytes: COUNT,
      next_offset: { type: ['integer', 'null'], minimum: 0 },
    }),
    annotations: READS,
    call: async (input, invocation) => {
      refuseOthers(input, ['offset']);
      const offset = countOf(input, 'offset') ?? 0;
      const patch = await plans.patch(planId, callOptions('Looking for changes', invocation));
      if (offset > patch.length)
        throw new ValidationError(`offset ${offset} lies behind the patch, which has ${patch.length} bytes`, {
          hint: 'Start again at 0: the sandbox may have changed since.',
        });
      const end = endOfPage(patch, offset);
      const isLast = end === patch.length;
      return {
        ...succeeded({
          plan_id: planId,
          patch: Buffer.from(patch.subarray(offset, end)).toString('utf8'),
          truncated: !isLast,
          total_bytes: patch.length,
          next_offset: isLast ? null : end,
        }),
        ...(!isLast && { links: [linkToDiff(patch.length)] }),
      };
    },
  };
}

const LINE_FEED = 0x0a;

/** Behind a whole line where there is one, else never within a character. */
function endOfPage(patch: Uint8Array, offset: number): number {
  const most = offset + MOST_PATCH_BYTES;
  if (most >= patch.length) return patch.length;
  const line = patch.lastIndexOf(LINE_FEED, most - 1);
  if (line >= offset) return line + 1;
  let end = most;
  while (end > most - 4 && ((patch[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

/** Says at once that the work has begun, so that a client that waits knows. */
function callOptions(what: string, { signal, onProgress }: ToolInvocation): CallOptions {
  if (onProgress === undefined) return { signal };
  onProgress(what);
  return { signal, onProgress: (progress) => onProgress(progressWords(what, progress)) };
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
    call: async (input, invocation) => {
      refuseOthers(input, ['message']);
      const message = textOf(input, 'message');
      const summary = await plans.apply(planId, { message, ...callOptions('Applying', invocation) });
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
