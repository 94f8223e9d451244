import type { FileReadInput, FileReadOutput, TextCodec } from '@cleveragents/file-tools-domain';
import {
  decodeStrictly,
  fileReadInput,
  fileReadOutput,
  FileToolError,
  LineWindow,
  looksBinary,
} from '@cleveragents/file-tools-domain';
import type { AgentTool } from '@cleveragents/file-tools-ports';
import { hasCode, RootedFileError } from '@cleveragents/shared-kernel';
import { defineTool, READS } from './define-tool.ts';
import type { FileToolsContext } from './file-tools-context.ts';

export const MAXIMUM_FILE_BYTES = 10 * 1024 * 1024;
/** Behind the window, lines are counted up to here. */
const MAXIMUM_COUNTED_BYTES = 64 * 1024 * 1024;
/** In front of the window, lines are left out up to here. */
const MAXIMUM_PASSED_BYTES = 1024 * 1024 * 1024;

export function fileReadTool(context: FileToolsContext): AgentTool {
  return defineTool({
    name: 'builtin/file-read',
    title: 'Read a file',
    description:
      'Reads a text file. Large files: give offset and limit, in lines, and go on at next_offset. Binary files: encoding base64.',
    annotations: READS,
    input: fileReadInput,
    output: fileReadOutput,
    run: async (input, { signal }) => {
      const codec = context.codec(input.encoding);
      return input.offset === undefined && input.limit === undefined
        ? readWhole(input, codec, context)
        : readLines(input, codec, context, signal);
    },
  });
}

async function readWhole(
  { path }: FileReadInput,
  codec: TextCodec,
  { files }: FileToolsContext,
): Promise<FileReadOutput> {
  const { bytes, sha256 } = await readBounded(path, files);
  refuseBinary(path, bytes, codec);
  const lines = new LineWindow({ offset: 0, limit: 0, lineFeed: codec.lineFeed, maxBytes: 0 });
  lines.push(bytes);
  return {
    content: contentOf(bytes, codec, true),
    encoding: codec.name,
    size: bytes.length,
    ...(codec.isBinary !== true && { total_lines: lines.lines }),
    truncated: false,
    sha256,
  };
}

async function readBounded(path: string, files: FileToolsContext['files']): ReturnType<typeof files.read> {
  try {
    return await files.read(path, { maxBytes: MAXIMUM_FILE_BYTES });
  } catch (error) {
    if (!hasCode(error, 'FILE_TOO_LARGE')) throw error;
    throw new RootedFileError('FILE_TOO_LARGE', error.message, {
      hint: 'Read it in parts, with offset and limit.',
      cause: error,
    });
  }
}

async function readLines(
  { path, offset = 0, limit }: FileReadInput,
  codec: TextCodec,
  { files }: FileToolsContext,
  signal: AbortSignal | undefined,
): Promise<FileReadOutput> {
  if (codec.isBinary === true)
    throw new FileToolError(
      'INPUT_INVALID',
      `offset and limit count lines, which ${codec.name} has none of`,
      {
        hint: 'Leave out offset and limit, or name the encoding of the text.',
      },
    );
  const window = new LineWindow({ offset, limit, lineFeed: codec.lineFeed, maxBytes: MAXIMUM_FILE_BYTES });
  const { seenBytes, reachedEnd } = await fill(window, path, codec, files, signal);
  const size = reachedEnd ? seenBytes : ((await files.status(path))?.size ?? seenBytes);
  const end = offset + (limit ?? Infinity);
  const isLast = reachedEnd && window.lines <= end;
  return {
    content: contentOf(window.bytes(), codec, offset === 0),
    encoding: codec.name,
    size,
    ...(reachedEnd && { total_lines: window.lines }),
    truncated: !isLast,
    ...(!isLast && { next_offset: end }),
  };
}

async function fill(
  window: LineWindow,
  path: string,
  codec: TextCodec,
  files: FileToolsContext['files'],
  signal: AbortSignal | undefined,
): Promise<{ seenBytes: number; reachedEnd: boolean }> {
  let seenBytes = 0;
  for await (const chunk of files.stream(path)) {
    signal?.throwIfAborted();
    if (seenBytes === 0) refuseBinary(path, chunk, codec);
    window.push(chunk);
    seenBytes += chunk.length;
    if (window.isComplete && seenBytes >= MAXIMUM_COUNTED_BYTES) return { seenBytes, reachedEnd: false };
    if (seenBytes >= MAXIMUM_PASSED_BYTES)
      throw new RootedFileError(
        'FILE_TOO_LARGE',
        `${JSON.stringify(path)} is too large to read that far into it`,
        {
          hint: 'Use builtin/file-search to find what you look for.',
        },
      );
  }
  return { seenBytes, reachedEnd: true };
}

function refuseBinary(path: string, bytes: Uint8Array, codec: TextCodec): void {
  if (codec.hasNulBytes === true || !looksLikeOtherThanText(bytes)) return;
  throw new FileToolError('FILE_IS_BINARY', `${JSON.stringify(path)} is a binary file`, {
    hint: looksBinary(bytes)
      ? 'Read it with encoding base64.'
      : 'It begins like UTF-16: read it with encoding utf-16le or utf-16be, or with base64.',
  });
}

function looksLikeOtherThanText(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8192).includes(0);
}

/** Without the mark, where the codec has one to take off. */
function contentOf(bytes: Uint8Array, codec: TextCodec, isBeginning: boolean): string {
  const text = decodeStrictly(bytes, codec);
  return isBeginning && codec.mark !== undefined && text.startsWith('\ufeff') ? text.slice(1) : text;
}
