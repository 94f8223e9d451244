import * as z from 'zod';
import { commitResultSchema } from './commit-result.schema.ts';
import { sandboxContextSchema } from './sandbox-context.schema.ts';

const idSchema = z.string().min(1);

/** A sandbox's whole state, as it is written down with its plan. */
export const sandboxStateSchema = z.discriminatedUnion('status', [
  z.looseObject({ status: z.literal('pending'), sandboxId: idSchema }),
  z.looseObject({
    status: z.enum(['created', 'active']),
    sandboxId: idSchema,
    context: sandboxContextSchema,
  }),
  z.looseObject({
    status: z.literal('committed'),
    sandboxId: idSchema,
    context: sandboxContextSchema,
    result: commitResultSchema,
  }),
  z.looseObject({
    status: z.literal('rolled_back'),
    sandboxId: idSchema,
    context: sandboxContextSchema,
    rescueRefs: z.array(z.string()),
  }),
  z.looseObject({
    status: z.literal('cleaned_up'),
    sandboxId: idSchema,
    context: sandboxContextSchema.nullable(),
    rescueRefs: z.array(z.string()),
  }),
]);

export type SandboxState = z.infer<typeof sandboxStateSchema>;
