import type { AgentTool } from '@cleveragents/file-tools-ports';
import type { ToolResult } from '@cleveragents/file-tools-domain';
import type { OfferedTool, ToolInvocation, ToolOutcome, ToolSchema } from '@cleveragents/mcp-ports';
import { linkToFile } from './sandbox-resources.ts';

/** Runs a file tool somewhere: in the sandbox of a plan, in a directory. */
export type FileToolRunner = (
  tool: AgentTool,
  input: unknown,
  invocation: ToolInvocation,
) => Promise<ToolResult>;

/** A file tool as MCP offers it: `builtin/file-read` becomes `file_read`, for MCP allows no slash. */
export function offerFileTool(tool: AgentTool, run: FileToolRunner): OfferedTool {
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    name: tool.name.replace(/^builtin\//, '').replaceAll('-', '_'),
    title,
    description,
    inputSchema: objectSchema(inputSchema),
    outputSchema: objectSchema(outputSchema),
    annotations: {
      readOnlyHint: annotations.readOnly,
      destructiveHint: annotations.destructive,
      idempotentHint: annotations.idempotent,
      openWorldHint: false,
    },
    call: async (input, invocation) => withLink(await run(tool, input, invocation), tool, input['path']),
  };
}

const NOT_FOR_ANSWERS = ['FILE_IS_BINARY', 'FILE_TOO_LARGE'];

/** What is no text, or too much of it, can be read as a resource. */
function withLink(result: ToolResult, { annotations }: AgentTool, path: unknown): ToolOutcome {
  if (result.success || !annotations.readOnly || typeof path !== 'string') return result;
  return NOT_FOR_ANSWERS.includes(result.error.code) ? { ...result, links: [linkToFile(path)] } : result;
}

function objectSchema(schema: Readonly<Record<string, unknown>>): ToolSchema {
  return { ...schema, type: 'object' };
}
