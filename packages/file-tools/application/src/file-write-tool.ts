import type { FileWriteInput, TextCodec } from '@cleveragents/file-tools-domain';
import { encodeStrictly, fileWriteInput, fileWriteOutput } from '@cleveragents/file-tools-domain';
import type { AgentTool } from '@cleveragents/file-tools-ports';
import { defineTool } from './define-tool.ts';
import type { FileToolsContext } from './file-tools-context.ts';

export function fileWriteTool(context: FileToolsContext): AgentTool {
  return defineTool({
    name: 'builtin/file-write',
    title: 'Write a file',
    description:
      'Writes a whole file, all or nothing, and makes the directories above it. To change a part use builtin/file-edit.',
    annotations: { readOnly: false, destructive: true, idempotent: true },
    input: fileWriteInput,
    output: fileWriteOutput,
    run: async (input) => {
      const bytes = bytesToWrite(input, context.codec(input.encoding));
      const sha256 = await context.digest(bytes);
      const { created } = await context.changing(() =>
        context.files.write(input.path, bytes, { makeParents: true, expectedSha256: input.expected_sha256 }),
      );
      return { created, size: bytes.length, sha256 };
    },
  });
}

function bytesToWrite({ content }: FileWriteInput, codec: TextCodec): Uint8Array {
  const bytes = encodeStrictly(content, codec, 'content');
  if (codec.mark === undefined || content.startsWith('\ufeff')) return bytes;
  const marked = new Uint8Array(codec.mark.length + bytes.length);
  marked.set(codec.mark);
  marked.set(bytes, codec.mark.length);
  return marked;
}
