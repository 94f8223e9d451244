import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  createRepository,
  expectUnchanged,
  snapshot,
  temporaryDirectory,
  TemporaryRepository,
} from '@cleveragents/shared-testing';

describe('createRepository', () => {
  it('makes a repository whose commits are the same every time', async () => {
    const heads = await Promise.all(
      [1, 2].map(async () => {
        const repository = await createRepository({
          files: { 'a.txt': 'a', 'b/c.txt': Buffer.from([0, 255]) },
        });
        await repository.commit('change it', { 'a.txt': 'changed' });
        await repository.fsck();
        return await repository.head();
      }),
    );
    expect(heads[0]).toMatch(/^[0-9a-f]{40}$/);
    expect(heads[1]).toBe(heads[0]);
  });

  it('can have another first branch, another object format, or no commit', async () => {
    const repository = await createRepository({ branch: 'trunk', objectFormat: 'sha256' });
    expect(await repository.branch()).toBe('trunk');
    expect(await repository.refs()).toEqual({});
    await expect(repository.head()).rejects.toThrow(/^git rev-parse HEAD: fatal: ambiguous argument 'HEAD'/);
    expect(await repository.commit('begin')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is gone when it is disposed of', async () => {
    let root = '';
    {
      await using repository = await createRepository({ files: { a: 'a' } });
      root = repository.root;
      expect(existsSync(join(root, '.git'))).toBe(true);
    }
    expect(existsSync(root)).toBe(false);
  });
});

describe('TemporaryRepository', () => {
  it('reports status by raw names', async () => {
    const repository = await createRepository({
      files: { 'moved näme': 'moved', 'edited "quoted"': '', gone: '' },
    });
    await repository.git('mv', 'moved näme', 'new näme');
    await repository.write('edited "quoted"', 'x');
    await repository.remove('gone');
    await repository.link('folder/link', 'nowhere');
    await repository.write('.gitignore', 'ignored\n');
    await repository.write('ignored', '');
    expect(await repository.status({ ignored: true })).toEqual([
      { state: '??', path: '.gitignore' },
      { state: '.M', path: 'edited "quoted"' },
      { state: '??', path: 'folder/link' },
      { state: '.D', path: 'gone' },
      { state: '!!', path: 'ignored' },
      { state: 'R.', path: 'new näme', from: 'moved näme' },
    ]);
  });

  it('lists worktrees, and speaks to a linked one', async () => {
    const repository = await createRepository({ files: { a: 'a' } });
    const { path } = temporaryDirectory();
    await repository.git('worktree', 'add', '--quiet', '-b', 'topic', join(path, 'linked'));
    await repository.git('worktree', 'lock', join(path, 'linked'));
    const linked = new TemporaryRepository(join(path, 'linked'));
    const head = await linked.commit('in the linked one', { b: 'b' });
    expect((await repository.worktrees())[1]).toEqual({
      path: linked.root,
      head,
      branch: 'topic',
      locked: true,
      prunable: false,
    });
  });

  it('rejects when fsck finds something', async () => {
    const repository = await createRepository({ files: { a: 'a' } });
    const blob = await repository.git('rev-parse', 'HEAD:a');
    await rm(repository.path(`.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`));
    await expect(repository.fsck()).rejects.toThrow(/missing blob/);
  });
});

describe('expectUnchanged', () => {
  const differencesAfter = async (
    change: (repository: TemporaryRepository) => Promise<unknown>,
    options: Parameters<typeof snapshot>[1] = {},
  ): Promise<readonly string[]> => {
    const repository = await createRepository({ files: { 'a.txt': 'a', '.gitignore': 'ignored\n' } });
    await repository.write('ignored', 'precious');
    const before = await repository.snapshot(options);
    await change(repository);
    try {
      expectUnchanged(before, await repository.snapshot(options));
      return [];
    } catch (error) {
      return (error as { actual: string[] }).actual.map((line) =>
        line.replace(/: .*/, '').replace(/ +/, ' '),
      );
    }
  };

  it.each([
    ['an ignored file that is gone', ['gone ignored'], (r: TemporaryRepository) => r.remove('ignored')],
    ['a changed byte', ['changed a.txt'], (r: TemporaryRepository) => r.write('a.txt', 'b')],
    ['a mode', ['changed a.txt'], (r: TemporaryRepository) => chmod(r.path('a.txt'), 0o755)],
    ['an empty folder', ['new empty'], (r: TemporaryRepository) => mkdir(r.path('empty'))],
    [
      'a name that is no UTF-8',
      ['new \u00ff'],
      (r: TemporaryRepository) =>
        writeFile(Buffer.concat([Buffer.from(`${r.root}/`), Buffer.from([0xff])]), ''),
    ],
    [
      'a ref',
      ['new .git/logs/refs/heads/topic', 'new .git/refs/heads/topic'],
      (r: TemporaryRepository) => r.git('branch', 'topic'),
    ],
    [
      'the configuration',
      ['changed .git/config'],
      (r: TemporaryRepository) => appendFile(r.path('.git/config'), '#'),
    ],
    [
      'HEAD',
      ['changed .git/HEAD'],
      (r: TemporaryRepository) => r.git('symbolic-ref', 'HEAD', 'refs/heads/other'),
    ],
  ] as const)('tells of %s', async (_what, differences, change) => {
    expect(await differencesAfter(change)).toEqual(differences);
  });

  it('is silent when git only looked', async () => {
    expect(
      await differencesAfter(async (repository) => {
        await repository.status();
        await repository.fsck();
        await repository.git('diff');
      }),
    ).toEqual([]);
  });

  it('lets pass new objects, and what is left out, if so asked', async () => {
    const change = async (repository: TemporaryRepository): Promise<void> => {
      await repository.write('loose', 'x');
      await repository.git('hash-object', '-w', 'loose');
      await repository.write('.git/cleveragents/plan', 'x');
      await repository.remove('loose');
    };
    const options = { allowNewObjects: true, leaveOut: ['.git/cleveragents/'] };
    expect(await differencesAfter(change, options)).toEqual([]);
    const objects = /^new .git\/objects/;
    expect((await differencesAfter(change)).filter((line) => !objects.test(line))).toEqual([
      'new .git/cleveragents',
      'new .git/cleveragents/plan',
    ]);
  });

  it('tells of an object that went, also where new ones may come', async () => {
    const change = async (repository: TemporaryRepository): Promise<void> => {
      const blob = await repository.git('rev-parse', 'HEAD:a.txt');
      await repository.remove(`.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`);
    };
    expect(await differencesAfter(change, { allowNewObjects: true })).toEqual([
      expect.stringMatching(/^gone .git\/objects/),
    ]);
  });

  it('tells of a file written again with the same bytes when times count', async () => {
    const rewrite = (repository: TemporaryRepository): Promise<void> => repository.write('a.txt', 'a');
    expect(await differencesAfter(rewrite)).toEqual([]);
    expect(await differencesAfter(rewrite, { times: true })).toEqual(['changed a.txt']);
  });
});
