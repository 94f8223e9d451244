import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { RepositoryFingerprint } from '@cleveragents/git-ports';
import type { Environment } from './environment.ts';
import { namesIn, readBytesIfThere, statIfThere } from './file-access.ts';
import { GitConfig } from './git-config.ts';
import type { RefStore } from './ref-store.ts';
import { gitPath, type RepositoryLayout } from './repository-layout.ts';

const WATCHED_FILES = ['config', 'config.worktree', 'info/attributes', 'info/exclude'];
const WATCHED_SETTINGS = {
  'core.bare': 'core.bare',
  'core.worktree': 'core.worktree',
  'core.hookspath': 'core.hooksPath',
};

/** See `WorktreeHost.readFingerprint`. Everything is read anew: the point is to see what others changed. */
export async function readFingerprint(
  layout: RepositoryLayout,
  refs: RefStore,
  environment: Environment,
): Promise<RepositoryFingerprint> {
  const config = await GitConfig.load(layout, environment);
  const listed = await refs.list('');
  return {
    refs: Object.fromEntries(listed.map(({ name, target }) => [name, target])),
    files: { ...hashesOf(WATCHED_FILES, (name) => gitPath(layout, name)), ...hookHashes(layout, config) },
    settings: Object.fromEntries(
      Object.entries(WATCHED_SETTINGS).flatMap(([name, written]) => {
        const value = config.get(name);
        return value === undefined ? [] : [[written, value ?? 'true']];
      }),
    ),
  };
}

function hookHashes(layout: RepositoryLayout, config: GitConfig): Readonly<Record<string, string>> {
  const folder = config.path('core.hookspath') ?? gitPath(layout, 'hooks');
  const names = namesIn(folder).filter((name) => !name.endsWith('.sample'));
  return hashesOf(
    names.map((name) => `hooks/${name}`),
    (name) => join(folder, name.slice('hooks/'.length)),
  );
}

function hashesOf(
  names: readonly string[],
  pathOf: (name: string) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const path = pathOf(name);
      const bytes = statIfThere(path)?.isFile() ? readBytesIfThere(path) : null;
      return bytes === null ? [] : [[name, createHash('sha256').update(bytes).digest('hex')]];
    }),
  );
}
