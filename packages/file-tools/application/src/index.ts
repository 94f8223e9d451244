export { ChangeSetCapture, type ChangeSetCaptureOptions, type ChangeSetJson } from './change-set-capture.ts';
export { defineTool, type ToolDefinition } from './define-tool.ts';
export { ToolRegistryToken } from './file-tools.tokens.ts';
export type { FileToolsOptions } from './file-tools-context.ts';
export { createFileTools, registerFileTools, type RegisterFileToolsOptions } from './register-file-tools.ts';
export { ToolRegistry } from './tool-registry.ts';
