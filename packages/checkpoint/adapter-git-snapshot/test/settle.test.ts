import { expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  bundleScript,
  createRepository,
  runWithFault,
  temporaryDirectory,
} from '@cleveragents/shared-testing';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { PLAN, serviceFor } from './support/plan-on-disk.ts';

it('a rollback that died halfway is hidden from git, and settled before anybody reads the sandbox', async () => {
  await using repository = await createRepository({ files: { a: 'old', b: 'old' } });
  const { path: folder } = temporaryDirectory();
  const storePath = join(folder, 'store.git');
  const store = new GitSnapshotStore({ path: storePath, durability: 'process' });
  const target = (await store.capture(repository.root)).ref;
  for (const path of ['a', 'b']) await repository.write(path, 'new');
  const safety = (await store.capture(repository.root)).ref;
  const script = await bundleScript(join(import.meta.dirname, 'support', 'fault-script.ts'), folder);
  const scene = {
    arguments: ['restore', repository.root, storePath, target, safety],
    roots: [repository.root],
  };
  const { calls } = await runWithFault(script, scene, `kill-before:9999`);
  const put = calls.findIndex(({ name, paths }) => name === 'linkSync' && paths[1]?.endsWith('/b'));
  for (const path of ['a', 'b']) await repository.write(path, 'new');
  const { signal } = await runWithFault(script, scene, `kill-before:${put + 1}`);
  expect(signal).toBe('SIGKILL');
  expect(readdirSync(repository.root).sort()).toEqual(['.cleveragents-restore', '.git', 'a']);
  expect((await repository.status()).map(({ path }) => path)).toEqual(['b']);
  await serviceFor(store, repository.root).settleSandbox(PLAN);
  expect(readdirSync(repository.root).sort()).toEqual(['.git', 'a', 'b']);
  expect((await repository.status()).map(({ path }) => path)).toEqual(['a', 'b']);
}, 60_000);
