import { token, type Token } from '@cleveragents/shared-kernel';
import type { ToolRegistry } from './tool-registry.ts';

export const ToolRegistryToken: Token<ToolRegistry> = token(
  '@cleveragents/file-tools-application/ToolRegistry',
);
