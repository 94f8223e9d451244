import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { GitWorktreeSandbox } from '@cleveragents/sandbox-adapter-git-worktree';
import { type OddRepository, temporaryDirectory, TemporaryRepository } from '@cleveragents/shared-testing';

/** What git calls changed, as lines, after it has found everything sound. */
async function opinion(repository: TemporaryRepository): Promise<readonly string[]> {
  await repository.fsck();
  return (await repository.status()).map(({ state, path }) => `${state} ${path}`);
}

/** From creation to apply and back, in a repository that somebody works in meanwhile. */
export async function playWhole({ make }: OddRepository): Promise<void> {
  const repository = new TemporaryRepository(make(temporaryDirectory().path));
  const original = readFileSync(repository.path('a.txt'), 'latin1');
  const sandbox = new GitWorktreeSandbox({
    resourceId: 'app',
    originalPath: repository.root,
    sandboxFolder: temporaryDirectory().path,
  });
  const { sandboxPath, metadata } = await sandbox.create('plan-1');
  expect(metadata).toMatchObject({
    engine: 'native',
    engineReason: expect.stringContaining('needs the installed git'),
  });
  expect(await opinion(new TemporaryRepository(sandboxPath))).toEqual([]);
  await sandbox.getPath('.');
  appendFileSync(join(sandboxPath, 'a.txt'), readFileSync(join(sandboxPath, 'src/b.txt')));
  writeFileSync(join(sandboxPath, 'src/new.txt'), readFileSync(join(sandboxPath, 'src/b.txt')));
  const changed = readFileSync(join(sandboxPath, 'a.txt'), 'latin1');
  await repository.commit('theirs', { 'src/theirs.txt': readFileSync(repository.path('src/b.txt')) });
  await repository.write('mine', 'mine\n');
  const result = await sandbox.commit('the plan');
  expect(result).toMatchObject({ changedFiles: ['a.txt'], addedFiles: ['src/new.txt'], deletedFiles: [] });
  expect(readFileSync(repository.path('a.txt'), 'latin1')).toBe(changed);
  expect(await opinion(repository)).toEqual(['?? mine']);
  expect(await repository.head()).toBe(result.mergeRef);
  await sandbox.rollback();
  expect(readFileSync(repository.path('a.txt'), 'latin1')).toBe(original);
  expect(await opinion(repository)).toEqual(['?? mine']);
  expect(readFileSync(repository.path('mine'), 'utf8')).toBe('mine\n');
  await sandbox.cleanup();
  expect(await repository.worktrees()).toHaveLength(1);
  expect(await opinion(repository)).toEqual(['?? mine']);
}
