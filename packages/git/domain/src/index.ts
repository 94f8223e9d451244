export {
  type AttributeFile,
  type AttributeRule,
  attributesOf,
  type AttributeState,
  BINARY_MACRO,
  parseAttributes,
} from './attributes.ts';
export { withConfigValue } from './config-edit.ts';
export { configBoolean, type ConfigEntry, configInteger, parseGitConfig } from './config-file.ts';
export { type LineStatistics, lineStatistics } from './diff/line-statistics.ts';
export { unifiedDiff, type UnifiedDiffOptions } from './diff/unified-diff.ts';
export { GitFormatError, type GitFormatErrorCode } from './git-format.errors.ts';
export { findMergeBases, isAncestor } from './history/merge-base.ts';
export {
  cacheTreeOf,
  type CacheTree,
  encodeCacheTree,
  invalidateCacheTree,
  readCacheTree,
} from './index-file/cache-tree.ts';
export {
  type BigStat,
  type IndexEntry,
  type IndexStage,
  type IndexStat,
  indexStatOf,
  type Sha1,
  UNKNOWN_STAT,
} from './index-file/entry.ts';
export { decodeStat, encodeStat } from './index-file/layout.ts';
export { type IndexPatch, patchIndex, writeIndex } from './index-file/patch-index.ts';
export { readIndex } from './index-file/read-index.ts';
export { type IndexExtension, IndexView } from './index-file/view.ts';
export { type CommitMerge, type CommitsToMerge, mergeCommits } from './merge/merge-commits.ts';
export type {
  MergeConflict,
  MergeConflictKind,
  MergeLabels,
  MergePresentation,
  TreeMerge,
} from './merge/merge-conflict.ts';
export { mergeTrees, type TreesToMerge } from './merge/merge-trees.ts';
export {
  type Commit,
  type CommitReader,
  EMPTY_TREE_ID,
  isObjectId,
  type Leaf,
  type LeafMode,
  type Mode,
  type ObjectId,
  parseObjectId,
  type Signature,
  type TreeEntry,
  type TreeMode,
  type TreeReader,
  type TreeWriter,
} from './objects.ts';
export { comparePaths, faultOfName, requirePath } from './paths.ts';
export { applyDelta } from './pack-delta.ts';
export { quotePath } from './quoting.ts';
export { checkBranchName, checkRefName, type RefNameFault, refNameConflicts } from './ref-name.ts';
export { detectRenames, type FileChange, type RenameOptions } from './rename/detect-renames.ts';
export {
  type ConflictLabels,
  type ConflictStyle,
  type ContentMerge,
  type ContentMergeOptions,
  mergeContents,
} from './text/content-merge.ts';
export { type DiffAlgorithm, diffLines, type Hunk, type LineDiffOptions } from './text/line-diff.ts';
export { isBinary, joinLines, splitLines } from './text/lines.ts';
export { type TreeChange, diffTrees } from './tree-diff.ts';
export { canonicalMode, compareTreeEntries, decodeTree, encodeTree } from './tree-object.ts';
export {
  compileWildmatch,
  lowerAscii,
  matchesNamePattern,
  matchesPathPattern,
  type WildmatchOptions,
} from './wildmatch.ts';
