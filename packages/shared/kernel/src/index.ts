export type { Brand } from './brand.ts';
export { type Clock, ClockToken } from './clock.ts';
export { CodedError, type ErrorDetails, hasCode, messageOf, ValidationError } from './coded-error.ts';
export type { Contract, ContractCase } from './contract.ts';
export { type IdGenerator, IdGeneratorToken } from './id-generator.ts';
export {
  isUlid,
  parsePlanId,
  planKey,
  sha256Hex,
  type PlanId,
  type PlanKey,
  type Ulid,
} from './identifiers.ts';
export { parseRelativePath, pathTraversal, type RelativePath } from './relative-path.ts';
export { type Token, token } from './token.ts';
