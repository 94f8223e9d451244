import type { ToolResult } from '@cleveragents/file-tools-domain';
import { failed, failureOf, succeeded } from '@cleveragents/file-tools-domain';
import type { AgentTool, JsonSchema, ToolCall } from '@cleveragents/file-tools-ports';
import * as z from 'zod';

export interface ToolDefinition<Input extends z.ZodType, Output extends z.ZodType> extends Pick<
  AgentTool,
  'name' | 'title' | 'description' | 'annotations'
> {
  readonly input: Input;
  readonly output: Output;
  /** Gets valid input; what it throws becomes a failure. */
  run(input: z.output<Input>, call: ToolCall): Promise<z.output<Output>>;
}

export const READS: AgentTool['annotations'] = { readOnly: true, destructive: false, idempotent: true };

/** One schema says what the tool accepts and what it tells others that it accepts. */
export function defineTool<Input extends z.ZodType, Output extends z.ZodType>(
  definition: ToolDefinition<Input, Output>,
): AgentTool {
  const { name, title, description, annotations, input, output, run } = definition;
  return {
    name,
    title,
    description,
    annotations,
    inputSchema: jsonSchemaOf(input, 'input'),
    outputSchema: jsonSchemaOf(output, 'output'),
    async execute(raw, call = {}): Promise<ToolResult> {
      const parsed = input.safeParse(raw);
      if (!parsed.success)
        return failed(
          'INPUT_INVALID',
          `Invalid input: ${problemsOf(parsed.error)}`,
          `See the input schema of ${name}.`,
        );
      try {
        call.signal?.throwIfAborted();
        return succeeded((await run(parsed.data, call)) as Readonly<Record<string, unknown>>);
      } catch (error) {
        return call.signal?.aborted === true
          ? failed('CANCELLED', 'The call was cancelled')
          : failureOf(error);
      }
    },
  };
}

/** Tools are made for each root, some for each call; what they accept and answer is the same each time. */
const published = {
  input: new WeakMap<z.ZodType, JsonSchema>(),
  output: new WeakMap<z.ZodType, JsonSchema>(),
};

function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const known = published[io].get(schema) ?? (z.toJSONSchema(schema, { io }) as JsonSchema);
  published[io].set(schema, known);
  return known;
}

function problemsOf(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map(({ path, message }) => {
      // zod begins some of its sentences with what ours begins with.
      const problem = message.replace(/^Invalid input: /, '');
      return path.length === 0 ? problem : `${path.join('.')}: ${problem}`;
    })
    .join('; ');
}
