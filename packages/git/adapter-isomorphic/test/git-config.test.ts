import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  commitFiles,
  git,
  GIT_ENVIRONMENT,
  gitBytes,
  makeRepository,
  temporaryFolder,
  write,
} from '@cleveragents/shared-testing/real-git';
import { GitConfig } from '../src/git-config.ts';
import { findRepository } from '../src/repository-layout.ts';

let folder: string;
let root: string;
let environment: Record<string, string>;
beforeEach(() => {
  folder = temporaryFolder();
  root = makeRepository(join(folder, 'work/project'));
  mkdirSync(join(folder, 'home'));
  const { GIT_CONFIG_GLOBAL: _, ...rest } = GIT_ENVIRONMENT;
  environment = { ...rest, HOME: join(folder, 'home') };
});
/** All settings as git lists them, and as we do. */
async function expectAgreement(directory = root, variables = environment): Promise<GitConfig> {
  const list = gitBytes(directory, ['config', '--list', '--includes', '-z'], {
    environment: unset(variables),
  });
  const expected = new Map<string, (string | null)[]>();
  for (const item of list.toString().split('\0').filter(Boolean)) {
    const [name = '', ...value] = item.split('\n');
    expected.set(name, [...(expected.get(name) ?? []), value.length === 0 ? null : value.join('\n')]);
  }
  const config = await GitConfig.load(await findRepository(directory), variables);
  expect(new Map(config.names.map((name) => [name, [...config.getAll(name)]]))).toEqual(expected);
  return config;
}

/** The helper's own GIT_CONFIG_GLOBAL must not hide the home folder's files from git. */
function unset(variables: Record<string, string>): Record<string, string> {
  return { GIT_CONFIG_GLOBAL: undefined as unknown as string, ...variables };
}

describe('configuration', () => {
  it('comes from system, XDG, home, repository and environment, later ones winning', async () => {
    write(folder, 'system', '[x]\n a = system\n only = system\n');
    write(folder, 'home/.config/git/config', '[x]\n a = xdg\n');
    write(folder, 'home/.gitconfig', '[x]\n a = home\n flag\n');
    const { GIT_CONFIG_NOSYSTEM: _, ...rest } = environment;
    const variables = {
      ...rest,
      GIT_CONFIG_NOSYSTEM: '0',
      GIT_CONFIG_SYSTEM: join(folder, 'system'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'X.Sub.B',
      GIT_CONFIG_VALUE_0: 'command',
    };
    const config = await expectAgreement(root, variables);
    expect([config.get('x.a'), config.get('x.only'), config.get('x.flag'), config.get('x.none')]).toEqual([
      'home',
      'system',
      null,
      undefined,
    ]);
    git(root, 'config', 'x.a', 'local');
    expect((await expectAgreement(root, variables)).get('x.a')).toBe('local');
  });

  it('takes GIT_CONFIG_GLOBAL instead of the home folder, and XDG_CONFIG_HOME where it is set', async () => {
    write(folder, 'global', '[x]\n a = global\n');
    write(folder, 'home/.gitconfig', '[x]\n a = home\n');
    write(folder, 'xdg/git/config', '[x]\n a = xdg\n b = xdg\n');
    await expectAgreement(root, { ...environment, GIT_CONFIG_GLOBAL: join(folder, 'global') });
    await expectAgreement(root, { ...environment, XDG_CONFIG_HOME: join(folder, 'xdg') });
  });

  it('has the work tree’s own file where the repository says so', async () => {
    commitFiles(root, { file: 'x' });
    git(root, 'worktree', 'add', '-q', '../linked');
    git(root, 'config', 'extensions.worktreeConfig', 'true');
    git(root, 'config', '--worktree', 'x.a', 'main');
    git(join(folder, 'work/linked'), 'config', '--worktree', 'x.a', 'linked');
    await expectAgreement(root);
    await expectAgreement(join(folder, 'work/linked'));
  });

  it('includes files in place, relative to the file and to the home folder, and passes by missing ones', async () => {
    write(
      folder,
      'home/.gitconfig',
      '[include]\n path = one\n path = ~/sub/two\n path = missing\n[x]\n a = last\n',
    );
    write(folder, 'home/one', '[x]\n a = one\n b = one\n');
    write(folder, 'home/sub/two', '[x]\n b = two\n[include]\n path = three\n');
    write(folder, 'home/sub/three', '[x]\n c = three\n');
    await expectAgreement();
  });

  it.each([
    ['gitdir:', 'work/'],
    ['gitdir:', 'work/project/.git'],
    ['gitdir:', '~/../work/**'],
    ['gitdir:', './../work/'],
    ['gitdir:', 'WORK/'],
    ['gitdir/i:', 'WORK/'],
    ['gitdir:', 'other/'],
    ['gitdir:', '/**/project/'],
    ['onbranch:', 'main'],
    ['onbranch:', 'feature/'],
    ['onbranch:', 'm*'],
    ['hasconfig:remote.*.url:', 'https://example.invalid/**'],
    ['hasconfig:remote.*.url:', 'https://other.invalid/**'],
  ])('includes on the condition %s%s exactly where git does', async (kind, pattern) => {
    git(root, 'config', 'remote.origin.url', 'https://example.invalid/project.git');
    write(folder, 'home/.gitconfig', `[includeIf "${kind}${pattern}"]\n path = extra\n`);
    write(folder, 'home/extra', '[x]\n included = yes\n');
    await expectAgreement();
    git(root, 'symbolic-ref', 'HEAD', 'refs/heads/feature/a');
    await expectAgreement();
  });

  it('knows booleans and paths', async () => {
    write(
      folder,
      'home/.gitconfig',
      '[x]\n yes\n no = off\n bad = maybe\n home = ~/a\n rel = b/c\n abs = /d\n empty =\n',
    );
    const config = await expectAgreement();
    expect([
      config.boolean('x.yes', false),
      config.boolean('x.no', true),
      config.boolean('x.none', true),
    ]).toEqual([true, false, true]);
    expect(() => config.boolean('x.bad', true)).toThrow(expect.objectContaining({ code: 'GIT_CORRUPT' }));
    expect(['home', 'rel', 'abs', 'empty', 'none'].map((key) => config.path(`x.${key}`))).toEqual([
      join(folder, 'home/a'),
      join(root, 'b/c'),
      '/d',
      null,
      null,
    ]);
  });

  it('names the file that git would refuse', async () => {
    writeFileSync(join(folder, 'home/.gitconfig'), '[x\n');
    await expect(GitConfig.load(await findRepository(root), environment)).rejects.toMatchObject({
      code: 'GIT_CORRUPT',
      data: { path: join(folder, 'home/.gitconfig') },
    });
    writeFileSync(join(folder, 'home/.gitconfig'), '[include]\n path = .gitconfig\n');
    await expect(GitConfig.load(null, environment)).rejects.toMatchObject({ code: 'GIT_CORRUPT' });
  });
});
