export {
  changeEntry,
  detectOperation,
  type FileState,
  netChanges,
  NO_CHANGES,
  summarise,
  type TreeChange,
  unattributedChanges,
  type UnattributedChange,
} from './change-set.ts';
export {
  type ChangeEntry,
  type ChangeOperation,
  fromStoredEntry,
  type StoredChangeEntry,
  storedChangeEntrySchema,
  toStoredEntry,
} from './change-set.schema.ts';
export { type Expression, parseExpression, parseLiteral } from './expression.ts';
export { type ExpressionPlan, planExpression, planLiteral } from './expression-plan.ts';
export { FileToolError, type FileToolErrorCode } from './file-tool.errors.ts';
export {
  fileDeleteInput,
  fileDeleteOutput,
  fileEditInput,
  type FileEditInput,
  fileEditOutput,
  fileListInput,
  type FileListInput,
  fileListOutput,
  type FileListOutput,
  fileReadInput,
  type FileReadInput,
  fileReadOutput,
  type FileReadOutput,
  fileSearchInput,
  type FileSearchInput,
  fileSearchOutput,
  type FileSearchOutput,
  fileWriteInput,
  type FileWriteInput,
  fileWriteOutput,
} from './file-tool.schema.ts';
export { compileGlob, type PathPredicate } from './glob.ts';
export { IgnoreRules } from './ignore-rules.ts';
export {
  type LineHit,
  literalHits,
  looksBinary,
  presentHits,
  searchableText,
  type SearchMatch,
} from './line-matches.ts';
export { LineWindow, type LineWindowOptions } from './line-window.ts';
export {
  codecNamed,
  type CodecSource,
  decodeStrictly,
  encodeStrictly,
  type TextCodec,
} from './text-codec.ts';
export { editBytes, type EditedBytes, type TextEdit } from './text-edit.ts';
export { failed, failureOf, succeeded, type ToolFailure, type ToolResult } from './tool-result.ts';
