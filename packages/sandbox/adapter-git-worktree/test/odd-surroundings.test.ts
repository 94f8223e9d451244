import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createRepository, temporaryDirectory, TemporaryRepository } from '@cleveragents/shared-testing';
import { openBench, SandboxBench } from './sandbox-bench.ts';

/** From creation to apply and back, with a change to `README.md`. */
async function playPlan(bench: SandboxBench, worktrees = 2): Promise<void> {
  const before = bench.read('README.md');
  const plan = await bench.active();
  expect(await plan.repository.status()).toEqual([]);
  plan.write('README.md', 'changed\n');
  await plan.sandbox.commit('the plan');
  expect(bench.read('README.md')).toBe('changed\n');
  expect(await bench.status()).toEqual([]);
  await plan.sandbox.rollback();
  expect(bench.read('README.md')).toBe(before);
  expect(await bench.status()).toEqual([]);
  await plan.sandbox.cleanup();
  await bench.expectGitAgrees({ worktrees: worktrees - 1 });
}

describe('a plan goes from creation to apply and back', () => {
  it('beside submodules, which stay as they are', async () => {
    const part = await createRepository({ files: { 'part.txt': 'part\n' } });
    const bench = await openBench();
    await bench.repository.git(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      'add',
      '-q',
      part.root,
      'part',
    );
    await bench.repository.commit('with a part');
    await playPlan(bench);
    expect(bench.read('part/part.txt')).toBe('part\n');
    expect(await bench.repository.git('submodule', 'status')).toMatch(/^ [0-9a-f]{40} part/);
  });

  it.each(['sha1', 'sha256'] as const)('in a worktree of a repository of %s', async (objectFormat) => {
    const main = await createRepository({ objectFormat, files: { 'README.md': 'read me\n' } });
    const linked = join(temporaryDirectory().path, 'linked');
    await main.git('worktree', 'add', '-q', '-b', 'side', linked);
    await playPlan(new SandboxBench(new TemporaryRepository(linked)), 3);
    expect(await main.status()).toEqual([]);
    expect(await main.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  });

  it('past hooks that would fail: they do not run', async () => {
    const bench = await openBench();
    for (const name of [
      'pre-commit',
      'commit-msg',
      'post-checkout',
      'reference-transaction',
      'post-index-change',
    ]) {
      mkdirSync(bench.repository.path('.git/hooks'), { recursive: true });
      writeFileSync(bench.repository.path(`.git/hooks/${name}`), '#!/bin/sh\ntouch "$GIT_DIR/ran"; exit 1\n');
      chmodSync(bench.repository.path(`.git/hooks/${name}`), 0o755);
    }
    for (const engine of ['isomorphic', 'native'] as const) {
      const plan = await bench.active(`plan-${engine}`, { engine });
      plan.write('README.md', `by ${engine}\n`);
      await plan.sandbox.commit('the plan');
      expect(bench.read('README.md')).toBe(`by ${engine}\n`);
    }
    expect(existsSync(bench.repository.path('.git/ran'))).toBe(false);
  });

  it('through a path of links', async () => {
    const bench = await openBench();
    const link = join(temporaryDirectory().path, 'link');
    symlinkSync(bench.repository.root, link);
    const plan = await bench.active('plan-1', { originalPath: link });
    plan.write('README.md', 'changed\n');
    await plan.sandbox.commit('the plan');
    expect(readFileSync(join(link, 'README.md'), 'utf8')).toBe('changed\n');
    expect(await bench.status()).toEqual([]);
  });

  it('with names that differ by case or by Unicode form alone', async () => {
    const files = {
      'README.md': 'read me\n',
      'Readme.md': 'other\n',
      café: 'composed\n',
      'cafe\u0301': 'two\n',
    };
    for (const engine of ['isomorphic', 'native'] as const) {
      const bench = await openBench(files);
      const plan = await bench.active('plan-1', { engine });
      for (const name of Object.keys(files)) plan.write(name, `${engine} ${name}\n`);
      await plan.sandbox.commit('the plan');
      for (const name of Object.keys(files)) expect(bench.read(name)).toBe(`${engine} ${name}\n`);
      expect(await bench.status()).toEqual([]);
    }
  });

  it('with the sandbox on another file system', async () => {
    const bench = await openBench();
    if (!existsSync('/dev/shm') || statSync('/dev/shm').dev === statSync(bench.repository.root).dev) return;
    const elsewhere = mkdtempSync('/dev/shm/cleveragents-test-');
    for (const engine of ['isomorphic', 'native'] as const) {
      const plan = await bench.active(`plan-${engine}`, { engine, sandboxFolder: elsewhere });
      plan.write('README.md', `by ${engine}\n`);
      await plan.sandbox.commit('the plan');
      expect(bench.read('README.md')).toBe(`by ${engine}\n`);
      await plan.sandbox.cleanup();
    }
    rmSync(elsewhere, { recursive: true });
    await bench.expectGitAgrees({ worktrees: 1 });
  });
});

describe('nothing is changed, and the error says why', () => {
  it('when commits must be signed and cannot be; the work is kept all the same', async () => {
    const bench = await openBench();
    await bench.repository.git('config', 'commit.gpgSign', 'true');
    await bench.repository.git('config', 'gpg.program', 'false');
    const plan = await bench.active();
    plan.write('README.md', 'changed\n');
    const error = await bench.expectRefused(() => plan.sandbox.commit('the plan'), 'SANDBOX_COMMIT_FAILED');
    expect(error).toMatchObject({
      message: expect.stringContaining('signing failed'),
      data: { gitCode: 'GIT_SIGNING_FAILED' },
    });
    const { rescuedTo } = await plan.sandbox.cleanup();
    expect(await bench.repository.git('show', `${String(rescuedTo)}:README.md`)).toBe('changed');
  });

  it('when a filter that is required fails', async () => {
    const bench = await openBench();
    await bench.repository.git('config', 'filter.turn.clean', 'cat');
    await bench.repository.git('config', 'filter.turn.smudge', 'cat');
    await bench.repository.git('config', 'filter.turn.required', 'true');
    await bench.repository.commit('filter', { '.gitattributes': '*.bin filter=turn\n', 'a.bin': 'a\n' });
    const plan = await bench.active();
    plan.write('a.bin', 'changed\n');
    await bench.repository.git('config', 'filter.turn.clean', 'false');
    const error = await bench.expectRefused(() => plan.sandbox.commit('the plan'), 'SANDBOX_COMMIT_FAILED');
    expect(error).toMatchObject({
      message: expect.stringContaining("clean filter 'turn' failed"),
      data: { gitCode: 'GIT_FAILED' },
    });
  });

  it.each([
    ['permissions are shared', 'core.sharedRepository', 'group', 'shared-repository'],
    ['an extension is unknown', 'extensions.unheardOf', 'true', 'unknown-extension'],
  ])('where %s, which no engine can do', async (_what, setting, value, feature) => {
    const bench = await openBench();
    if (setting.startsWith('extensions.'))
      await bench.repository.git('config', 'core.repositoryFormatVersion', '1');
    appendSetting(bench, setting, value);
    const error = await bench
      .make()
      .create('plan-1')
      .then(
        () => null,
        (thrown: { readonly code: string; readonly data: unknown }) => thrown,
      );
    expect(error).toMatchObject({
      code: 'SANDBOX_UNSUPPORTED_REPOSITORY',
      data: { features: [{ feature }] },
    });
  });
});

/** Git itself may refuse to work there from now on. */
function appendSetting({ repository }: SandboxBench, setting: string, value: string): void {
  const [section = '', name = ''] = setting.split('.');
  const path = repository.path('.git/config');
  writeFileSync(path, `${readFileSync(path, 'utf8')}[${section}]\n\t${name} = ${value}\n`);
}
