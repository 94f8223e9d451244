import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { planRestore } from '@cleveragents/checkpoint-domain';
import { createRepository, temporaryDirectory } from '@cleveragents/shared-testing';
import { diskSubject } from './support/disk-workspace.ts';

describe('what a snapshot cannot hold', () => {
  it('is named with its reason, costs nothing but itself, and survives a rollback', async () => {
    const { store, workspace } = await diskSubject({ maxFileBytes: 1000 });
    await workspace.write('held', 'old');
    const target = await store.capture(workspace.root);
    await workspace.write('held', 'new');
    execFileSync('mkfifo', [workspace.path('fifo')]);
    await workspace.write('large', 'x'.repeat(1001));
    mkdirSync(workspace.path('other/.git'), { recursive: true });
    await workspace.write('other/file', "another repository's");
    writeFileSync(Buffer.concat([Buffer.from(`${workspace.root}/`), Buffer.from([0x62, 0xff])]), 'no UTF-8');
    const safety = await store.capture(workspace.root);
    expect(safety.uncovered).toEqual([
      { path: 'b\\xff', reason: 'name-not-utf8' },
      { path: 'fifo', reason: 'special-file' },
      { path: 'large', reason: 'over-size-limit' },
      { path: 'other', reason: 'nested-repository' },
    ]);
    const plan = planRestore({
      differences: await store.diff(safety.ref, target.ref),
      uncoveredNow: safety.uncovered,
      uncoveredThen: target.uncovered,
    });
    await store.restore(workspace.root, plan);
    expect(await store.capture(workspace.root).then(({ uncovered }) => uncovered)).toEqual(safety.uncovered);
    expect(plan.steps.map(({ path }) => path)).toEqual(['held']);
  });

  it('is not restored over: a path that became one of these is kept', async () => {
    const { store, workspace } = await diskSubject({ maxFileBytes: 1000 });
    await workspace.write('grew', 'small');
    const target = await store.capture(workspace.root);
    truncateSync(workspace.path('grew'), 1 << 30);
    const safety = await store.capture(workspace.root, { alsoCover: [target.ref] });
    const plan = planRestore({
      differences: await store.diff(safety.ref, target.ref),
      uncoveredNow: safety.uncovered,
      uncoveredThen: target.uncovered,
    });
    expect(plan).toMatchObject({ steps: [], kept: [{ path: 'grew', reason: 'over-size-limit' }] });
  });

  it('may be a file or directory that this user cannot read', async () => {
    const { path: folder } = temporaryDirectory();
    execFileSync('chmod', ['777', folder]);
    const script = join(import.meta.dirname, 'support', 'unreadable-script.ts');
    const output = execFileSync(
      process.execPath,
      ['--conditions=@cleveragents/source', '--import', 'tsx', script, folder],
      process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {},
    );
    expect(JSON.parse(output.toString())).toEqual({
      uncovered: [
        { path: 'closed', reason: 'unreadable' },
        { path: 'secret', reason: 'unreadable' },
      ],
      restored: 'old',
      locked: 'old 500',
    });
  }, 60_000);
});

describe('what is ignored', () => {
  const name = fc.constantFrom('a', 'b', 'a.log', 'b.txt', 'd', 'e', 'x y');
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const pattern = fc.constantFrom(
    'a',
    '*.log',
    '/d',
    'd/',
    'd/e',
    '**/a',
    'd/**',
    '!a',
    '!*.txt',
    '[ab].*',
    'e/*',
    '!e/b.txt',
    'x\\ y',
    '# a',
    'a/**/b',
    '*',
    '!d',
    '/*',
    '!/e',
  );
  const ignoreFile = fc.record({
    at: fc.constantFrom('', 'd/', 'e/', 'd/e/'),
    lines: fc.array(pattern, { maxLength: 4 }),
  });

  it('is what git ignores, for random patterns, trees and tracked files', async () => {
    const { path: storeFolder } = temporaryDirectory();
    const store = new GitSnapshotStore({ path: join(storeFolder, 'store.git'), durability: 'process' });
    await fc.assert(
      fc.asyncProperty(
        fc.array(path, { minLength: 1, maxLength: 12 }),
        fc.array(ignoreFile, { minLength: 1, maxLength: 3 }),
        fc.nat(3),
        async (paths, ignoreFiles, trackedCount) => {
          await using repository = await createRepository();
          const { root } = repository;
          const files = paths.map((one) => `${one}/f.${one.length % 2 === 0 ? 'log' : 'txt'}`);
          for (const file of files) {
            mkdirSync(join(root, file, '..'), { recursive: true });
            writeFileSync(join(root, file), file);
          }
          await repository.git('add', '--force', '--', ...files.slice(0, trackedCount));
          for (const { at, lines } of ignoreFiles) {
            mkdirSync(join(root, at), { recursive: true });
            writeFileSync(join(root, at, '.gitignore'), lines.map((line) => `${line}\n`).join(''));
          }
          const listed = await repository.git('ls-files', '-z', '--cached', '--others', '--exclude-standard');
          const expected = [...new Set(listed.split('\0').filter((one) => one !== ''))].sort();
          const { ref } = await store.capture(root);
          const held = (await store.diff(null, ref)).filter(({ wanted }) => wanted?.kind === 'file');
          expect(held.map(({ path: one }) => one)).toEqual(expected);
        },
      ),
      { numRuns: 40 },
    );
  }, 120_000);

  it('is found by hints too when an ignore file is among them', async () => {
    const { store, workspace } = await diskSubject();
    await workspace.write('build/out', 'out');
    await store.capture(workspace.root);
    await workspace.write('.gitignore', 'build\n');
    const { uncovered } = await store.capture(workspace.root, { changedPaths: ['.gitignore' as never] });
    expect(uncovered).toEqual([{ path: 'build', reason: 'ignored' }]);
  });

  it('stays named by captures that look at hints alone, also in another process', async () => {
    const { store, workspace, reopen } = await diskSubject();
    await workspace.ignore(['secret']);
    await workspace.write('secret', 'mine');
    await workspace.write('a', 'old');
    await store.capture(workspace.root);
    await workspace.write('a', 'new');
    for (const one of [store, reopen()]) {
      const { uncovered } = await one.capture(workspace.root, { changedPaths: ['a' as never] });
      expect(uncovered).toEqual([{ path: 'secret', reason: 'ignored' }]);
    }
  });
});

describe('a directory that is exchanged for a link', () => {
  it('is captured as the link it is, and nothing is read or restored through it', async () => {
    const { store, workspace } = await diskSubject();
    const outside = temporaryDirectory();
    writeFileSync(join(outside.path, 'file'), 'outside');
    await workspace.write('d/file', 'old');
    const target = await store.capture(workspace.root);
    await workspace.write('d/file', 'new');
    const safety = await store.capture(workspace.root);
    const plan = planRestore({
      differences: await store.diff(safety.ref, target.ref),
      uncoveredNow: [],
      uncoveredThen: [],
    });
    renameSync(workspace.path('d'), workspace.path('moved'));
    await workspace.makeLink('d', outside.path);
    await expect(store.restore(workspace.root, plan)).rejects.toMatchObject({ code: 'ROLLBACK_TREE_MOVED' });
    const { ref } = await store.capture(workspace.root);
    expect((await store.diff(null, ref)).map(({ path: one }) => one)).toEqual(['d', 'moved', 'moved/file']);
    expect(execFileSync('cat', [join(outside.path, 'file')]).toString()).toBe('outside');
  });
});
