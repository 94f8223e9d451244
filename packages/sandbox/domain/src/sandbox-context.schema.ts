import * as z from 'zod';

const commitIdSchema = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);

/** What a git worktree sandbox knows of itself. */
const gitWorktreeMetadataSchema = z.looseObject({
  strategy: z.literal('git_worktree'),
  /** Short name: `cleveragents/plan-x`. */
  branch: z.string().min(1),
  /** The commit that the plan's changes are counted from: HEAD at creation, or the target's tip at the last refresh. */
  baseCommit: commitIdSchema,
  /** Short name of the branch that a commit merges into; null when HEAD was detached at creation. */
  targetBranch: z.string().min(1).nullable(),
  /** The worktree's admin folder. */
  gitDirectory: z.string().min(1),
  engine: z.string().min(1),
  /** One sentence for people: why it was that engine. */
  engineReason: z.string().optional(),
  /** Paths that are links into the original, and no part of the plan's result. */
  linkedPaths: z.array(z.string()).default([]),
});

/** What a sandbox that is a copy of a folder knows of itself. */
const fileCopyMetadataSchema = z.looseObject({
  strategy: z.literal('file_copy'),
  /** Names the files that the plan's changes are counted from: those at creation, or at the last refresh. */
  base: z.string().min(1).optional(),
});

export const sandboxContextSchema = z
  .looseObject({
    sandboxId: z.string().min(1),
    planId: z.string().min(1),
    resourceId: z.string().min(1),
    /** Root of the user's own checkout or directory: absolute, links resolved. */
    originalPath: z.string().min(1),
    /** Root of the isolated copy: absolute, links resolved. */
    sandboxPath: z.string().min(1),
    /** ISO 8601, UTC. */
    createdAt: z.iso.datetime(),
    metadata: z.discriminatedUnion('strategy', [gitWorktreeMetadataSchema, fileCopyMetadataSchema]),
  })
  .readonly();

/** Where a sandbox is and what it stands on. Written down with the plan, so that another process can reopen it. */
export type SandboxContext = z.infer<typeof sandboxContextSchema>;
export type SandboxMetadata = SandboxContext['metadata'];
export type GitWorktreeMetadata = Extract<SandboxMetadata, { strategy: 'git_worktree' }>;
export type SandboxStrategy = SandboxMetadata['strategy'];

export { commitIdSchema };
