import { token, type Token } from '@cleveragents/shared-kernel';
import type { SandboxFactory } from './sandbox.ts';

/** Every strategy that the application may choose from. */
export const SandboxFactoriesToken: Token<readonly SandboxFactory[]> = token(
  '@cleveragents/sandbox-ports/SandboxFactories',
);
