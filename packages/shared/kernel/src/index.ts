export type { Brand } from './brand.ts';
export { type Clock, ClockToken } from './clock.ts';
export {
  CodedError,
  type ErrorDetails,
  hasCode,
  isCodedError,
  messageOf,
  ValidationError,
} from './coded-error.ts';
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
export { type Bind, provide } from './provide.ts';
export { withReadablePaths } from './readable-paths.ts';
export { parseRelativePath, pathTraversal, type RelativePath } from './relative-path.ts';
export {
  RootedFileError,
  type RootedFileErrorCode,
  rootedFileError,
  traversalRefused,
} from './rooted-file.errors.ts';
export {
  type FileContent,
  type FileStatus,
  type Fingerprint,
  type LentFile,
  type RootedFileSystem,
  RootedFileSystemToken,
  type VisitResult,
  type Walk,
  type WalkEntry,
  type WalkFilter,
  type WalkOptions,
  type WriteOptions,
  type WriteOutcome,
} from './rooted-file-system.ts';
export { isGitName, parseRootedPath, refuseGitNames, type RootedPath } from './rooted-path.ts';
export { type Token, token } from './token.ts';
