import type { AgentTool } from '@cleveragents/file-tools-ports';
import type { ChangeSetCapture } from './change-set-capture.ts';
import { fileDeleteTool } from './file-delete-tool.ts';
import { fileEditTool } from './file-edit-tool.ts';
import { fileListTool } from './file-list-tool.ts';
import { fileReadTool } from './file-read-tool.ts';
import { fileSearchTool } from './file-search-tool.ts';
import type { FileToolsOptions } from './file-tools-context.ts';
import { FileToolsContext } from './file-tools-context.ts';
import { fileWriteTool } from './file-write-tool.ts';
import type { ToolRegistry } from './tool-registry.ts';

export interface RegisterFileToolsOptions extends FileToolsOptions {
  /** Records what the tools that change files do. */
  readonly changeSet?: ChangeSetCapture | undefined;
}

/** The six tools, for callers who need no registry. */
export function createFileTools(options: FileToolsOptions): readonly AgentTool[] {
  const context = new FileToolsContext(options);
  return [fileReadTool, fileWriteTool, fileEditTool, fileDeleteTool, fileListTool, fileSearchTool].map(
    (create) => create(context),
  );
}

/** Registers exactly the six file tools. */
export function registerFileTools(
  registry: ToolRegistry,
  { changeSet, ...options }: RegisterFileToolsOptions,
): void {
  for (const tool of createFileTools(options))
    registry.register(
      changeSet === undefined || tool.annotations.readOnly
        ? tool
        : changeSet.wrap(tool, { files: options.files }),
    );
}
