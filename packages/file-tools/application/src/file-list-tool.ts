import type { FileListInput, FileListOutput, PathPredicate } from '@cleveragents/file-tools-domain';
import { compileGlob, fileListInput, fileListOutput } from '@cleveragents/file-tools-domain';
import type { AgentTool } from '@cleveragents/file-tools-ports';
import { defineTool, READS } from './define-tool.ts';
import type { FileToolsContext } from './file-tools-context.ts';
import { gitIgnoreFilter } from './git-ignore-filter.ts';

const MAXIMUM_DEPTH = 64;
/** Seen, not shown: a listing costs what this many entries cost, at most. */
const MAXIMUM_ENTRIES = 200_000;
const MAXIMUM_MS = 20_000;

export function fileListTool(context: FileToolsContext): AgentTool {
  return defineTool({
    name: 'builtin/file-list',
    title: 'List files',
    description:
      'Lists what a directory holds, or with a glob the files that match. Links are shown, never followed; .git and other work trees are not entered.',
    annotations: READS,
    input: fileListInput,
    output: fileListOutput,
    run: (input, { signal }) => list(input, context, signal),
  });
}

async function list(
  input: FileListInput,
  { files }: FileToolsContext,
  signal: AbortSignal | undefined,
): Promise<FileListOutput> {
  const isWanted = wantedBy(input, await startOf(input.path, files));
  const end = performance.now() + MAXIMUM_MS;
  const filter = input.respect_gitignore ? await gitIgnoreFilter(input.path, files, end) : undefined;
  const walk = files.walk(input.path, {
    recursive: input.recursive,
    maxEntries: MAXIMUM_ENTRIES,
    maxDepth: MAXIMUM_DEPTH,
    sizes: true,
    signal,
    filter,
  });
  const found: FileListOutput['files'] = [];
  for await (const { path, type, size } of walk) {
    if (performance.now() > end) break;
    if (!isWanted(path, type)) continue;
    if (found.length === input.limit) return { files: found, truncated: true };
    found.push({ path, type, size });
  }
  return { files: found, truncated: walk.truncated || walk.unreadable > 0 || performance.now() > end };
}

/** Patterns speak of paths below the listed directory, wherever links have led. */
async function startOf(path: string, files: FileToolsContext['files']): Promise<string> {
  return (await files.status(path))?.path ?? '';
}

function wantedBy(
  { pattern }: FileListInput,
  start: string,
): (path: string, type: FileListOutput['files'][number]['type']) => boolean {
  if (pattern === undefined) return () => true;
  const matches: PathPredicate = compileGlob(pattern);
  const below = start === '' ? 0 : start.length + 1;
  return (path, type) => type === 'file' && matches(path.slice(below));
}
