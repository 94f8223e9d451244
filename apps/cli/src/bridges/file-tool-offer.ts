import type { AgentTool } from '@cleveragents/file-tools-ports';
import type { ToolResult } from '@cleveragents/file-tools-domain';
import type { OfferedTool, ToolInvocation, ToolSchema } from '@cleveragents/mcp-ports';

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
    call: (input, invocation) => run(tool, input, invocation),
  };
}

function objectSchema(schema: Readonly<Record<string, unknown>>): ToolSchema {
  return { ...schema, type: 'object' };
}
