import { extname } from 'node:path';
import type { OfferedResources, ResourceBody, ResourceLink } from '@cleveragents/mcp-ports';
import type { PlanLifecycleService } from '@cleveragents/sandbox-application';
import { hasCode, type RootedFileSystem } from '@cleveragents/shared-kernel';
import { progressWords } from '../progress.ts';

const FILES = 'cleveragents://files/';
const DIFF = 'cleveragents://sandbox/diff';
/** In base64 it still fits into one message. */
const MOST_BYTES = 64 * 1024 * 1024;

const TYPES: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/** Every file that the tools reach, as it is on disk. `open` answers null when there are none any more. */
export function offerFiles(open: () => Promise<RootedFileSystem | null>): OfferedResources {
  return {
    uri: `${FILES}{+path}`,
    isTemplate: true,
    name: 'file',
    title: 'A file',
    description: 'Any file that the file tools reach, whole, by its path from their root: also binary ones.',
    read: async (uri) => {
      const path = pathOf(uri);
      const files = path === undefined ? null : await open();
      if (path === undefined || files === null) return undefined;
      try {
        const { bytes } = await files.read(path, { maxBytes: MOST_BYTES });
        return bodyOf(uri, bytes, typeOf(path));
      } catch (error) {
        if (hasCode(error, 'FILE_NOT_FOUND')) return undefined;
        throw error;
      }
    },
  };
}

/** Where the whole of a file can be read. */
export function linkToFile(path: string): ResourceLink {
  const mimeType = typeOf(path);
  const uri = FILES + path.split('/').map(encodeURIComponent).join('/');
  return { uri, name: path, ...(mimeType !== undefined && { mimeType }) };
}

/** What a sandbox changed, in one piece. */
export function offerDiff(plans: Pick<PlanLifecycleService, 'patch'>, planId: string): OfferedResources {
  return {
    uri: DIFF,
    isTemplate: false,
    name: 'diff',
    title: 'The changes as a patch',
    description: 'All changes of the sandbox against the project, as one git patch.',
    mimeType: 'text/x-diff',
    read: async (uri, { signal, onProgress }) => {
      if (uri !== DIFF) return undefined;
      const tell = onProgress && {
        onProgress: (progress: Parameters<typeof progressWords>[1]) =>
          onProgress(progressWords('Looking for changes', progress)),
      };
      return bodyOf(uri, await plans.patch(planId, { signal, ...tell }), 'text/x-diff');
    },
  };
}

export function linkToDiff(size: number): ResourceLink {
  return { uri: DIFF, name: 'diff', mimeType: 'text/x-diff', size };
}

function pathOf(uri: string): string | undefined {
  if (!uri.startsWith(FILES)) return undefined;
  try {
    return uri.slice(FILES.length).split('/').map(decodeURIComponent).join('/');
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

const typeOf = (path: string): string | undefined => TYPES[extname(path).toLowerCase()];

/** As text when it is text to every reader, else as base64: no byte is lost on the way. */
function bodyOf(uri: string, bytes: Uint8Array, type: string | undefined): ResourceBody {
  const text = bytes.includes(0) ? undefined : textOf(bytes);
  if (text !== undefined) return { uri, mimeType: type ?? 'text/plain', text };
  return {
    uri,
    mimeType: type ?? 'application/octet-stream',
    blob: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
  };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
