import { readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createRepository, temporaryDirectory } from '@cleveragents/shared-testing';
import { ActiveSandbox, openBench, SandboxBench } from './sandbox-bench.ts';

describe('creating a sandbox', () => {
  it('makes a branch at HEAD and a worktree of its own with the very files', async () => {
    const bench = await openBench();
    const head = await bench.repository.head();
    const { sandbox, path, repository } = await bench.active('plan-1');
    expect(sandbox.context).toMatchObject({
      planId: 'plan-1',
      resourceId: 'app',
      originalPath: bench.repository.root,
      sandboxPath: path,
      metadata: {
        strategy: 'git_worktree',
        branch: 'cleveragents/plan-plan-1',
        baseCommit: head,
        targetBranch: 'main',
        engine: 'isomorphic',
      },
    });
    expect(basename(path)).toMatch(/^ca-sandbox-plan-1-[0-9a-f]{12}-[0-9a-f]{8}$/);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(await repository.status()).toEqual([]);
    expect(await repository.branch()).toBe('cleveragents/plan-plan-1');
    expect(await bench.status()).toEqual([]);
    await bench.expectGitAgrees({ worktrees: 2 });
  });

  it('gives every plan id a branch of its own, also where names collide or block each other', async () => {
    const bench = await openBench();
    const ids = [
      'a',
      'a/b',
      'a..b',
      'a-b',
      'A',
      'x.lock',
      '.hid',
      '-x',
      '🙂',
      '🙃',
      'z'.repeat(300),
      'a b',
      'a//b',
      'HEAD',
    ];
    const branches: unknown[] = [];
    for (const id of ids) {
      const { sandbox } = await bench.active(id);
      branches.push(sandbox.context?.metadata['branch']);
    }
    expect(new Set(branches).size).toBe(ids.length);
    await bench.expectGitAgrees({ worktrees: ids.length + 1 });
    expect(
      Object.keys(await bench.repository.refs()).filter((ref) => ref.includes('cleveragents/plan-')),
    ).toHaveLength(ids.length);
  });

  it('starts from a subdirectory of a link to the repository as from the repository itself', async () => {
    const bench = await openBench();
    const outside = temporaryDirectory().path;
    symlinkSync(bench.repository.root, join(outside, 'link'));
    const sandbox = bench.make({ originalPath: join(outside, 'link') });
    expect((await sandbox.create('plan-1')).originalPath).toBe(bench.repository.root);
  });

  it('works from a linked worktree of the user as from any checkout', async () => {
    const bench = await openBench();
    const linked = join(temporaryDirectory().path, 'linked');
    await bench.repository.git('worktree', 'add', '--quiet', '-b', 'feature', linked);
    const { sandbox } = await bench.active('plan-1', { originalPath: linked });
    expect(sandbox.context?.metadata).toMatchObject({ targetBranch: 'feature' });
    await bench.expectGitAgrees({ worktrees: 3 });
  });

  it('has no target when HEAD is detached', async () => {
    const bench = await openBench();
    await bench.repository.git('checkout', '--quiet', '--detach');
    const { sandbox } = await bench.active();
    expect(sandbox.context?.metadata).toMatchObject({ targetBranch: null });
  });

  it('leaves uncommitted changes out, or takes them in when asked, ignored files excepted', async () => {
    const bench = await openBench();
    await bench.repository.write('README.md', 'edited\n');
    await bench.repository.write('staged.txt', 'staged\n');
    await bench.repository.git('add', 'staged.txt');
    await bench.repository.write('untracked.txt', 'untracked\n');
    await bench.repository.write('debug.log', 'ignored\n');
    await bench.repository.remove('src/other.ts');
    const before = await bench.status();
    const plain = await bench.active('plain');
    expect([plain.read('README.md'), plain.read('untracked.txt')]).toEqual(['read me\n', null]);
    const sandbox = bench.make();
    const { sandboxPath } = await sandbox.create('dirty', { includeDirty: true });
    expect((await sandbox.changes()).files.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'modified README.md',
      'deleted src/other.ts',
      'added staged.txt',
      'added untracked.txt',
    ]);
    expect(readdirSync(sandboxPath)).not.toContain('debug.log');
    expect(await bench.status()).toEqual(before);
  });

  it('links and copies what the caller names, and never commits the links', async () => {
    const bench = await openBench();
    await bench.repository.write('node_modules/pkg/index.js', 'module.exports = 1;\n');
    await bench.repository.write('.env.log', 'SECRET=1\n');
    const sandbox = bench.make();
    const { sandboxPath } = await sandbox.create('plan-1', { link: ['node_modules'], copy: ['.env.log'] });
    expect(readlinkSync(join(sandboxPath, 'node_modules'))).toBe(join(bench.repository.root, 'node_modules'));
    expect(statSync(join(sandboxPath, '.env.log')).isFile()).toBe(true);
    expect((await sandbox.changes()).files).toEqual([]);
    await sandbox.cleanup();
    expect(bench.read('node_modules/pkg/index.js')).toBe('module.exports = 1;\n');
  });

  it('notes what is not in it: uncommitted changes, and links where git put a file', async () => {
    const bench = await openBench();
    const clean = bench.make();
    expect((await clean.create('plan-1')).metadata['notes']).toEqual([]);
    await bench.repository.write('README.md', 'mine\n');
    await bench.repository.write('new.txt', 'mine\n');
    await bench.repository.write('ignored.log', 'mine\n');
    const { metadata } = await bench.make().create('plan-2', { link: ['src'] });
    expect(metadata['notes']).toMatchObject([
      { feature: 'uncommitted-changes', detail: expect.stringMatching(/^2 uncommitted changes/) },
      { feature: 'link-of-tracked-path', detail: expect.stringMatching(/^src is tracked/) },
    ]);
    const dirty = await bench.make().create('plan-3', { includeDirty: true });
    expect(dirty.metadata['notes']).toEqual([]);
  });

  it('never commits its links, also when the agent did', async () => {
    const bench = await openBench();
    await bench.repository.write('node_modules/pkg/index.js', 'module.exports = 1;\n');
    await bench.repository.write('web/node_modules/pkg/index.js', 'module.exports = 1;\n');
    const sandbox = bench.make();
    const { sandboxPath } = await sandbox.create('plan-1', { link: ['node_modules', 'web/node_modules'] });
    const plan = new ActiveSandbox(sandbox, sandboxPath);
    plan.write('new.txt', 'new\n');
    await plan.repository.git('add', '--all');
    await plan.repository.git('commit', '--quiet', '--message', 'agent');
    expect((await sandbox.changes()).files.map(({ path }) => path)).toEqual(['new.txt']);
    const result = await sandbox.commit();
    expect(result.addedFiles).toEqual(['new.txt']);
    expect(bench.read('node_modules/pkg/index.js')).toBe('module.exports = 1;\n');
    expect(await bench.status()).toEqual([]);
    await sandbox.cleanup();
    await bench.expectGitAgrees({ worktrees: 1 });
  });

  it('copies over what git put there, whatever it was', async () => {
    const bench = await openBench();
    await bench.repository.remove('src');
    await bench.repository.write('src', 'a file now\n');
    await bench.repository.remove('README.md');
    await bench.repository.write('README.md/inside', 'a folder now\n');
    const { sandboxPath } = await bench.make().create('plan-1', { copy: ['src', 'README.md'] });
    expect(readFileSync(join(sandboxPath, 'src'), 'utf8')).toBe('a file now\n');
    expect(readFileSync(join(sandboxPath, 'README.md/inside'), 'utf8')).toBe('a folder now\n');
  });

  it('does not copy through a link that leads out of the sandbox', async () => {
    const bench = await openBench();
    const outside = temporaryDirectory().path;
    writeFileSync(join(outside, 'secret'), 'theirs\n');
    symlinkSync(outside, bench.repository.path('data'));
    await bench.repository.commit('link', {});
    await bench.expectRefused(
      () => bench.make().create('plan-1', { copy: ['data/secret'] }),
      'VALIDATION_FAILED',
    );
    expect(readdirSync(bench.folder)).toEqual([]);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('theirs\n');
  });
});

describe('a sandbox that cannot be made', () => {
  it.each<[string, (bench: SandboxBench) => Promise<string | void>, string]>([
    [
      'of a directory that is no repository',
      async () => temporaryDirectory().path,
      'SANDBOX_NOT_A_REPOSITORY',
    ],
    ['of a path that does not exist', async () => '/nonexistent/path', 'SANDBOX_NOT_A_REPOSITORY'],
    ['of a subdirectory', async ({ repository }) => repository.path('src'), 'SANDBOX_NOT_REPOSITORY_ROOT'],
    [
      'of a bare repository',
      async ({ repository }) => {
        const bare = join(temporaryDirectory().path, 'bare.git');
        await repository.git('clone', '--quiet', '--bare', repository.root, bare);
        return bare;
      },
      'SANDBOX_BARE_REPOSITORY',
    ],
    ['of a repository without a commit', async () => (await createRepository()).root, 'SANDBOX_NO_COMMIT'],
    [
      'while a merge is in progress',
      async ({ repository }) => {
        await repository.git('checkout', '--quiet', '-b', 'side');
        await repository.commit('side', { 'README.md': 'side\n' });
        await repository.git('checkout', '--quiet', 'main');
        await repository.commit('main', { 'README.md': 'main\n' });
        await repository.git('merge', 'side').catch(() => undefined);
      },
      'SANDBOX_OPERATION_IN_PROGRESS',
    ],
    [
      'where a branch called cleveragents is in the way',
      async ({ repository }) => void (await repository.git('branch', 'cleveragents')),
      'SANDBOX_BRANCH_BLOCKED',
    ],
    [
      "where the user has a branch of the sandbox's name",
      async ({ repository }) => void (await repository.git('branch', 'cleveragents/plan-plan-1')),
      'SANDBOX_BRANCH_EXISTS',
    ],
    [
      'of a SHA-256 repository',
      async () => {
        const repository = await createRepository({ objectFormat: 'sha256', files: { a: 'a\n' } });
        return repository.root;
      },
      'SANDBOX_UNSUPPORTED_REPOSITORY',
    ],
    [
      'under core.autocrlf',
      async ({ repository }) => void (await repository.git('config', 'core.autocrlf', 'true')),
      'SANDBOX_UNSUPPORTED_REPOSITORY',
    ],
    [
      'where filters are in use',
      async ({ repository }) =>
        void (await repository.commit('lfs', { '.gitattributes': '*.bin filter=lfs\n' })),
      'SANDBOX_UNSUPPORTED_REPOSITORY',
    ],
    [
      'where commits have to be signed',
      async ({ repository }) => void (await repository.git('config', 'commit.gpgSign', 'true')),
      'SANDBOX_UNSUPPORTED_REPOSITORY',
    ],
  ])('%s is refused, and nothing is left behind', async (_what, arrange, code) => {
    const bench = await openBench();
    const originalPath = (await arrange(bench)) ?? bench.repository.root;
    const sandbox = bench.make({ originalPath, engine: 'isomorphic' });
    const error = await bench.expectRefused(() => sandbox.create('plan-1'), code);
    expect(error.name).toBe('SandboxCreationError');
    expect(sandbox.status).toBe('pending');
    expect(readdirSync(bench.folder)).toEqual([]);
  });

  it('for a plan that has one already is refused', async () => {
    const bench = await openBench();
    await bench.active('plan-1');
    await bench.expectRefused(() => bench.make().create('plan-1'), 'SANDBOX_BRANCH_EXISTS');
  });

  it.each([
    [{ link: ['missing'] }, 'SANDBOX_SOURCE_MISSING'],
    [{ copy: ['missing'] }, 'SANDBOX_SOURCE_MISSING'],
    [{ startFrom: { content: 'refs/cleveragents/rescue/x/1', base: 'HEAD' } }, 'SANDBOX_SOURCE_MISSING'],
  ])('with %j is refused', async (options, code) => {
    const bench = await openBench();
    await bench.expectRefused(() => bench.make().create('plan-1', options), code);
    expect(readdirSync(bench.folder)).toEqual([]);
  });

  it.each([
    { link: ['.git'] },
    { copy: ['.git/config'] },
    { copy: ['.GIT'] },
    { link: ['src'], copy: ['src'] },
    { link: ['src'], copy: ['src/main.ts'] },
    { copy: ['src', 'src/main.ts'] },
  ])('with %j is invalid before anything is made', async (options) => {
    const bench = await openBench();
    await bench.expectRefused(() => bench.make().create('plan-1', options), 'VALIDATION_FAILED');
    expect(readdirSync(bench.folder)).toEqual([]);
  });

  it.each([{ link: ['../outside'] }, { copy: ['/etc/passwd'] }])('with %j is invalid', async (options) => {
    const bench = await openBench();
    await expect(bench.make().create('plan-1', options)).rejects.toThrow('Path traversal not allowed');
  });

  it('is taken up again by the very sandbox that a crash kept from being written down', async () => {
    const bench = await openBench();
    const first = bench.make();
    const pending = JSON.parse(JSON.stringify(first.state));
    await first.create('plan-1');
    const second = bench.make({ state: pending });
    await second.create('plan-1');
    expect(readdirSync(bench.folder)).toHaveLength(1);
    await bench.expectGitAgrees({ worktrees: 2 });
  });
});
