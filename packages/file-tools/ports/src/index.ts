export type { AgentTool, JsonSchema, ToolCall } from './agent-tool.ts';
export { type ChangeSetStore, ChangeSetStoreToken } from './change-set-store.ts';
export {
  type SearchOutcome,
  type SearchQuery,
  type TextSearcher,
  TextSearcherToken,
} from './text-searcher.ts';
