import { type Token, token } from '@cleveragents/shared-kernel';
import type { CheckpointService } from './checkpoint-service.ts';
import type { CorrectionService } from './correction-service.ts';

export const CheckpointServiceToken: Token<CheckpointService> = token(
  '@cleveragents/checkpoint-application/CheckpointService',
);
export const CorrectionServiceToken: Token<CorrectionService> = token(
  '@cleveragents/checkpoint-application/CorrectionService',
);
