import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import type { RepositoryFingerprint } from '@cleveragents/git-ports';
import { commitFiles, git, GIT_ENVIRONMENT, makeProject, write } from '@cleveragents/shared-testing/real-git';
import { readFingerprint } from '../src/fingerprint.ts';
import { openRepository } from '../src/repository.ts';
import { findRepository } from '../src/repository-layout.ts';

let root: string;
beforeEach(() => {
  ({ root } = makeProject());
  commitFiles(root, { file: 'x' });
});
async function fingerprint(): Promise<RepositoryFingerprint> {
  const layout = await findRepository(root);
  if (layout === null) throw new Error('no repository');
  const { refs, environment } = await openRepository(layout, { environment: GIT_ENVIRONMENT });
  return readFingerprint(layout, refs, environment);
}

/** Names of what differs. */
function drift(from: RepositoryFingerprint, to: RepositoryFingerprint): readonly string[] {
  return (['refs', 'files', 'settings'] as const).flatMap((part) =>
    [...new Set([...Object.keys(from[part]), ...Object.keys(to[part])])]
      .filter((name) => from[part][name] !== to[part][name])
      .map((name) => `${part}: ${name}`),
  );
}

it('is the same as long as nothing changes', async () => {
  expect(await fingerprint()).toEqual(await fingerprint());
});

it.each([
  ['a stash', () => (write(root, 'file', 'y'), git(root, 'stash', '-q')), ['refs: refs/stash']],
  ['a moved branch', () => git(root, 'commit', '-q', '--allow-empty', '-m', 'x'), ['refs: refs/heads/main']],
  ['a setting', () => git(root, 'config', 'user.name', 'x'), ['files: config']],
  ['core.bare', () => git(root, 'config', 'core.bare', 'true'), ['files: config', 'settings: core.bare']],
  [
    'core.hooksPath',
    () => git(root, 'config', 'core.hooksPath', '/elsewhere'),
    ['files: config', 'settings: core.hooksPath'],
  ],
  ['a hook', () => write(root, '.git/hooks/pre-commit', '#!/bin/sh\n'), ['files: hooks/pre-commit']],
  ['an exclude', () => appendFileSync(join(root, '.git/info/exclude'), 'x\n'), ['files: info/exclude']],
  ['an exclude gone', () => rmSync(join(root, '.git/info/exclude')), ['files: info/exclude']],
  ['attributes', () => write(root, '.git/info/attributes', '* -text\n'), ['files: info/attributes']],
])('shows %s that came behind our back', async (_, change, expected) => {
  const before = await fingerprint();
  change();
  expect(drift(before, await fingerprint())).toEqual(expected);
});
