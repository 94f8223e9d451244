export { FileChangeSetStore } from './file-change-set-store.ts';
export { iconvCodecs } from './iconv-codecs.ts';
export { InMemoryChangeSetStore } from './in-memory-change-set-store.ts';
export { JavaScriptTextSearcher } from './javascript-text-searcher.ts';
export { createTextSearcher, type FileToolsOnDisk, openFileTools } from './open-file-tools.ts';
export { findRipgrep } from './ripgrep.ts';
export { RipgrepTextSearcher, type RipgrepTextSearcherOptions } from './ripgrep-text-searcher.ts';
export type { SearchLimits } from './search-limits.ts';
