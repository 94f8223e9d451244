import { fileDeleteInput, fileDeleteOutput } from '@cleveragents/file-tools-domain';
import type { AgentTool } from '@cleveragents/file-tools-ports';
import { defineTool } from './define-tool.ts';
import type { FileToolsContext } from './file-tools-context.ts';

export function fileDeleteTool(context: FileToolsContext): AgentTool {
  return defineTool({
    name: 'builtin/file-delete',
    title: 'Delete a file',
    description: 'Deletes a file, or a link but never what it leads to. A missing file is no failure.',
    annotations: { readOnly: false, destructive: true, idempotent: true },
    input: fileDeleteInput,
    output: fileDeleteOutput,
    run: ({ path }) => context.changing(async () => ({ existed: await context.files.remove(path) })),
  });
}
