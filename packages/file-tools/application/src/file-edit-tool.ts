import { editBytes, fileEditInput, fileEditOutput } from '@cleveragents/file-tools-domain';
import type { AgentTool } from '@cleveragents/file-tools-ports';
import { hasCode, RootedFileError } from '@cleveragents/shared-kernel';
import { defineTool } from './define-tool.ts';
import { MAXIMUM_FILE_BYTES } from './file-read-tool.ts';
import type { FileToolsContext } from './file-tools-context.ts';

export function fileEditTool(context: FileToolsContext): AgentTool {
  return defineTool({
    name: 'builtin/file-edit',
    title: 'Edit a file',
    description:
      'Replaces exact text in a file, the first occurrence or all of them, and leaves every other byte as it is.',
    annotations: { readOnly: false, destructive: true, idempotent: false },
    input: fileEditInput,
    output: fileEditOutput,
    run: (input) =>
      context.changing(async () => {
        const codec = context.codec(input.encoding);
        const { bytes, sha256 } = await readToEdit(input.path, context);
        refuseUnexpected(input.path, sha256, input.expected_sha256);
        const edited = editBytes(bytes, {
          oldText: input.old_text,
          newText: input.new_text,
          replaceAll: input.replace_all,
          codec,
        });
        await context.files.write(input.path, edited.bytes, { expectedSha256: sha256 });
        const { replacements, occurrences } = edited;
        return { replacements, occurrences, sha256: await context.digest(edited.bytes) };
      }),
  });
}

async function readToEdit(
  path: string,
  { files }: FileToolsContext,
): ReturnType<FileToolsContext['files']['read']> {
  try {
    return await files.read(path, { maxBytes: MAXIMUM_FILE_BYTES });
  } catch (error) {
    if (!hasCode(error, 'FILE_NOT_FOUND')) throw error;
    throw new RootedFileError('FILE_NOT_FOUND', error.message, {
      hint: 'Make new files with builtin/file-write.',
      cause: error,
    });
  }
}

function refuseUnexpected(path: string, actual: string, expected: string | undefined): void {
  if (expected === undefined || expected === actual) return;
  throw new RootedFileError(
    'FILE_CHANGED',
    `${JSON.stringify(path)} is not what was expected: it has changed`,
    {
      hint: 'Read the file again and repeat the edit on what it holds now.',
    },
  );
}
