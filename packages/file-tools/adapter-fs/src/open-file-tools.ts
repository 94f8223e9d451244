import { createHash } from 'node:crypto';
import type { TextCodec } from '@cleveragents/file-tools-domain';
import type { TextSearcher } from '@cleveragents/file-tools-ports';
import { openRootedFileSystem } from '@cleveragents/shared-adapter-fs';
import type { RootedFileSystem } from '@cleveragents/shared-kernel';
import { iconvCodecs } from './iconv-codecs.ts';
import { JavaScriptTextSearcher } from './javascript-text-searcher.ts';
import { findRipgrep } from './ripgrep.ts';
import { RipgrepTextSearcher } from './ripgrep-text-searcher.ts';
import type { SearchLimits } from './search-limits.ts';

export interface FileToolsOnDisk {
  readonly files: RootedFileSystem;
  readonly searcher: TextSearcher;
  readonly codecs: (name: string) => TextCodec | undefined;
  readonly digest: (bytes: Uint8Array) => string;
}

/** What `registerFileTools` needs to work below one directory of this machine. */
export async function openFileTools(
  root: string,
  { limits }: { readonly limits?: Partial<SearchLimits> | undefined } = {},
): Promise<FileToolsOnDisk> {
  const [files, searcher] = await Promise.all([openRootedFileSystem(root), createTextSearcher({ limits })]);
  return { files, searcher, codecs: iconvCodecs, digest: sha256Of };
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Looked for once in a process: to ask a program what it is takes longer than many a search. */
let found: Promise<string | undefined> | undefined;

/** With ripgrep where there is one; the results are the same. */
export async function createTextSearcher({
  limits,
}: { readonly limits?: Partial<SearchLimits> | undefined } = {}): Promise<TextSearcher> {
  const otherwise = new JavaScriptTextSearcher(limits);
  found ??= findRipgrep();
  const executable = await found;
  return executable === undefined ? otherwise : new RipgrepTextSearcher({ executable, otherwise, limits });
}
