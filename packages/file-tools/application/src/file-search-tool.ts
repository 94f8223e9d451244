import { fileSearchInput, fileSearchOutput } from '@cleveragents/file-tools-domain';
import type { AgentTool } from '@cleveragents/file-tools-ports';
import { defineTool, READS } from './define-tool.ts';
import type { FileToolsContext } from './file-tools-context.ts';

export function fileSearchTool({ searcher, files }: FileToolsContext): AgentTool {
  return defineTool({
    name: 'builtin/file-search',
    title: 'Search in files',
    description:
      'Finds the lines of files below a directory that match a JavaScript regular expression, or hold a literal text.',
    annotations: READS,
    input: fileSearchInput,
    output: fileSearchOutput,
    run: async ({ path, pattern, literal, include, context, max_results }, { signal }) => {
      const { matches, truncated, skipped } = await searcher.search(
        { directory: path, pattern, literal, include, context, maxResults: max_results, signal },
        files,
      );
      return {
        matches: matches.map(({ before, after, ...match }) => ({
          ...match,
          ...(before !== undefined && { before: [...before] }),
          ...(after !== undefined && { after: [...after] }),
        })),
        truncated,
        skipped,
      };
    },
  });
}
