import * as z from 'zod';
import { sandboxStateSchema } from './sandbox-state.schema.ts';

export const PLAN_SCHEMA_VERSION = 1;

/** What happened to a plan, oldest first. `detail` is one sentence for people; `data` is for programs. */
const planEventSchema = z.looseObject({
  at: z.iso.datetime(),
  kind: z.enum([
    'created',
    'executed',
    'refreshed',
    'applied',
    'apply_refused',
    'rolled_back',
    'cleaned_up',
    'recovered',
    'restored',
  ]),
  detail: z.string(),
  data: z.record(z.string(), z.unknown()).optional(),
});
export type PlanEvent = z.infer<typeof planEventSchema>;
export type PlanEventKind = PlanEvent['kind'];

export const resourceSchema = z
  .looseObject({
    resourceId: z.string().min(1),
    /** `git-checkout` or `git`: a git worktree sandbox; anything else: a file copy. */
    type: z.string().min(1),
    /** Root of the resource, absolute. */
    path: z.string().min(1),
    /** For people: `local/<folder name>` unless named. */
    project: z.string().min(1),
  })
  .readonly();

/** What a plan works on. */
export type Resource = z.infer<typeof resourceSchema>;

export const planStatusSchema = z.enum(['open', 'applied', 'rolled_back', 'closed']);
/** Follows the sandbox: open (pending, created, active), applied (committed), rolled back, closed (cleaned up, never applied). */
export type PlanStatus = z.infer<typeof planStatusSchema>;

/** A plan as it is written down. Unknown fields are kept: a newer version may have put them there. */
export const planRecordSchema = z.looseObject({
  schemaVersion: z.literal(PLAN_SCHEMA_VERSION),
  planId: z.string().min(1),
  key: z.string().min(1),
  resource: resourceSchema,
  status: planStatusSchema,
  sandbox: sandboxStateSchema,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  /** Refs that keep work of this plan which no branch holds. */
  rescueRefs: z.array(z.string()).default([]),
  history: z.array(planEventSchema),
});

export type PlanRecord = Readonly<z.infer<typeof planRecordSchema>>;
