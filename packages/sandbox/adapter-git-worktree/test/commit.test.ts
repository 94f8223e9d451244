import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '@cleveragents/shared-testing';
import { ActiveSandbox, openBench, SandboxBench } from './sandbox-bench.ts';

describe('a commit', () => {
  it('fast-forwards the branch that the user is on, files and index with it', async () => {
    const bench = await openBench();
    const before = await bench.repository.head();
    const plan = await bench.active();
    plan.write('README.md', 'changed\n');
    plan.write('new.txt', 'new\n');
    plan.remove('src/other.ts');
    const result = await plan.sandbox.commit('feat: change things');
    expect(result).toMatchObject({
      success: true,
      commitRef: await bench.repository.head(),
      mergeRef: await bench.repository.head(),
      previousRef: before,
      targetBranch: 'main',
      changedFiles: ['README.md'],
      addedFiles: ['new.txt'],
      deletedFiles: ['src/other.ts'],
      insertions: 2,
      deletions: 2,
      drift: [],
    });
    expect(await bench.status()).toEqual([]);
    expect(bench.read('README.md')).toBe('changed\n');
    expect(bench.read('src/other.ts')).toBeNull();
    expect(await bench.repository.git('log', '-1', '--format=%s%n%P')).toBe(`feat: change things\n${before}`);
    expect(await bench.repository.git('reflog', '-1', '--format=%gs', 'main')).toBe(
      'merge cleveragents/plan-plan-1: Fast-forward',
    );
    expect(await plan.repository.status()).toEqual([]);
    await bench.expectGitAgrees({ worktrees: 2 });
  });

  it('merges when the branch went on', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('README.md', 'changed\n');
    const tip = await bench.repository.commit('theirs', { 'theirs.txt': 'theirs\n' });
    const { commitRef, mergeRef } = await plan.sandbox.commit('ours');
    expect(await bench.repository.git('log', '-1', '--format=%P')).toBe(`${tip} ${commitRef}`);
    expect(await bench.repository.head()).toBe(mergeRef);
    expect([bench.read('README.md'), bench.read('theirs.txt')]).toEqual(['changed\n', 'theirs\n']);
    expect(await bench.status()).toEqual([]);
    await bench.expectGitAgrees({ worktrees: 2 });
  });

  it('merges changes to different places of one file', async () => {
    const lines = Array.from({ length: 30 }, (_, line) => `line ${line}\n`);
    const bench = await openBench({ 'a.txt': lines.join('') });
    const plan = await bench.active();
    plan.write('a.txt', lines.with(2, 'ours\n').join(''));
    await bench.repository.commit('theirs', { 'a.txt': lines.with(27, 'theirs\n').join('') });
    await plan.sandbox.commit('ours');
    expect(bench.read('a.txt')).toBe(lines.with(2, 'ours\n').with(27, 'theirs\n').join(''));
    expect(await bench.status()).toEqual([]);
  });

  it('takes what the agent committed itself, as its own commits', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    const agents = await plan.repository.commit('by the agent', { 'agent.txt': 'agent\n' });
    const { commitRef } = await plan.sandbox.commit('ours');
    expect(commitRef).toBe(agents);
    expect(await bench.repository.head()).toBe(agents);
    expect(await bench.status()).toEqual([]);
  });

  it('takes everything when the agent switched branch, detached HEAD, or went back in history', async () => {
    for (const moves of [
      [['checkout', '--quiet', '-b', 'elsewhere']],
      [['checkout', '--quiet', '--detach']],
      [['reset', '--quiet', '--soft', 'HEAD~1']],
      [['checkout', '--quiet', '--orphan', 'fresh']],
    ]) {
      const bench = await openBench();
      await bench.repository.commit('second', { 'second.txt': 'second\n' });
      const plan = await bench.active();
      for (const move of moves) await plan.repository.git(...move);
      plan.write('new.txt', 'new\n');
      const result = await plan.sandbox.commit('ours');
      expect(result.addedFiles).toEqual(['new.txt']);
      expect([bench.read('new.txt'), bench.read('second.txt')]).toEqual(['new\n', 'second\n']);
      expect(await plan.repository.branch()).toBe('cleveragents/plan-plan-1');
      expect(await bench.status()).toEqual([]);
      await bench.expectGitAgrees({ worktrees: 2 });
    }
  });

  it('keeps bytes, modes and names whatever they are', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    plan.write('binary', bytes);
    plan.write('run.sh', '#!/bin/sh\n', 0o755);
    plan.write('crlf.txt', 'a\r\nb\r\n');
    plan.write('empty', '');
    plan.write('odd "name"\n\t\\ ünï.txt', 'odd\n');
    plan.write('-dash', 'dash\n');
    plan.write('nested/deep/er/file', 'deep\n');
    plan.link('link', 'README.md');
    plan.link('dangling', 'nowhere');
    chmodSync(join(plan.path, 'README.md'), 0o755);
    const result = await plan.sandbox.commit('odd');
    expect(result.changedFiles).toEqual(['README.md']);
    expect(result.files.find(({ path }) => path === 'README.md')?.kind).toBe('mode');
    expect(await bench.status()).toEqual([]);
    expect(await bench.repository.gitBytes('show', 'HEAD:binary')).toEqual(Buffer.from(bytes));
    expect(bench.read('crlf.txt')).toBe('a\r\nb\r\n');
    expect(bench.read('odd "name"\n\t\\ ünï.txt')).toBe('odd\n');
    expect(statSync(bench.repository.path('run.sh')).mode & 0o111).toBe(0o111);
    await bench.expectGitAgrees({ worktrees: 2 });
  });

  it('swaps files and directories', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.remove('src');
    plan.write('src', 'a file now\n');
    plan.remove('README.md');
    plan.write('README.md/inside', 'a directory now\n');
    await plan.sandbox.commit('swap');
    expect([bench.read('src'), bench.read('README.md/inside')]).toEqual([
      'a file now\n',
      'a directory now\n',
    ]);
    expect(await bench.status()).toEqual([]);
    await bench.expectGitAgrees({ worktrees: 2 });
  });

  it('is the same tree that git itself would have made', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('src/new.ts', 'new\n');
    plan.write('debug.log', 'ignored\n');
    plan.remove('src/main.ts');
    const { sandboxPath } = plan.sandbox.context!;
    const copy = new ActiveSandbox(plan.sandbox, sandboxPath).repository;
    const { commitRef } = await plan.sandbox.commit('ours');
    await copy.git('add', '--all');
    expect(await copy.git('write-tree')).toBe(await bench.repository.git('rev-parse', `${commitRef}^{tree}`));
  });

  it('reports what the agent changed in the repository itself', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    await plan.repository.git('config', 'core.hooksPath', '/tmp/evil');
    await plan.repository.git('branch', 'sneaky');
    const { drift } = await plan.sandbox.commit('ours');
    expect(drift).toEqual([
      'The setting core.hooksPath was changed from unset to /tmp/evil.',
      'config was changed.',
      'refs/heads/sneaky was created.',
    ]);
  });

  it('refuses without a name for its author', async () => {
    const bench = await openBench();
    await bench.repository.git('config', '--unset', 'user.name');
    await bench.repository.git('config', '--unset', 'user.email');
    await bench.repository.git('config', 'user.useConfigOnly', 'true');
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    const home = process.env['HOME'];
    process.env['HOME'] = temporaryDirectory().path;
    process.env['GIT_CONFIG_NOSYSTEM'] = '1';
    try {
      await bench.expectRefused(() => plan.sandbox.commit('ours'), 'SANDBOX_IDENTITY_MISSING');
    } finally {
      process.env['HOME'] = home;
      delete process.env['GIT_CONFIG_NOSYSTEM'];
    }
  });
});

describe("the user's checkout at commit time", () => {
  /** Arranges the original after the sandbox changed README.md, made new.txt, and removed src/other.ts. */
  async function commitWith(
    arrange: (bench: SandboxBench) => Promise<unknown> | unknown,
  ): Promise<{ bench: SandboxBench; plan: ActiveSandbox }> {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('README.md', 'from the plan\n');
    plan.write('new.txt', 'from the plan\n');
    plan.remove('src/other.ts');
    await arrange(bench);
    return { bench, plan };
  }

  it.each<[string, (bench: SandboxBench) => Promise<unknown> | unknown, readonly string[]]>([
    [
      'is dirty elsewhere',
      ({ repository }) => repository.write('src/main.ts', 'dirty\n'),
      ['.M src/main.ts'],
    ],
    [
      'has untracked and ignored files elsewhere',
      async ({ repository }) => {
        await repository.write('notes.txt', 'notes\n');
        await repository.write('debug.log', 'log\n');
      },
      ['?? notes.txt'],
    ],
    [
      'has staged changes elsewhere, and more on top',
      async ({ repository }) => {
        await repository.write('src/main.ts', 'staged\n');
        await repository.git('add', 'src/main.ts');
        await repository.write('src/main.ts', 'staged and edited\n');
      },
      ['MM src/main.ts'],
    ],
    [
      'has a new file staged and a deletion staged elsewhere',
      async ({ repository }) => {
        await repository.write('staged.txt', 'staged\n');
        await repository.git('add', 'staged.txt');
        await repository.git('rm', '--quiet', 'src/main.ts');
      },
      ['D. src/main.ts', 'A. staged.txt'],
    ],
    [
      'has the new content already, untracked',
      ({ repository }) => repository.write('new.txt', 'from the plan\n'),
      [],
    ],
    ['lost the file that the plan deletes', ({ repository }) => repository.remove('src/other.ts'), []],
  ])('%s: applied, and what the user had stays as it was', async (_what, arrange, status) => {
    const { bench, plan } = await commitWith(arrange);
    const mainBefore = bench.read('src/main.ts');
    await plan.sandbox.commit('ours');
    expect(bench.read('README.md')).toBe('from the plan\n');
    expect(bench.read('new.txt')).toBe('from the plan\n');
    expect(bench.read('src/other.ts')).toBeNull();
    expect(bench.read('src/main.ts')).toBe(mainBefore);
    expect(await bench.status()).toEqual(status);
    await bench.expectGitAgrees({ worktrees: 2 });
  });

  it.each<[string, (bench: SandboxBench) => Promise<unknown> | unknown, string, string]>([
    [
      'is dirty in the way',
      ({ repository }) => repository.write('README.md', 'mine\n'),
      'README.md',
      'modified',
    ],
    [
      'has staged changes in the way',
      async ({ repository }) => {
        await repository.write('README.md', 'mine\n');
        await repository.git('add', 'README.md');
      },
      'README.md',
      'staged',
    ],
    [
      'has an untracked file in the way',
      ({ repository }) => repository.write('new.txt', 'mine\n'),
      'new.txt',
      'untracked',
    ],
    [
      'has an ignored file in the way',
      async ({ repository }) => {
        await repository.write('.gitignore', 'new.txt\n');
        await repository.write('new.txt', 'mine\n');
      },
      'new.txt',
      'ignored',
    ],
    [
      'has a directory with files in the way',
      ({ repository }) => repository.write('new.txt/inside', 'mine\n'),
      'new.txt',
      'directory',
    ],
    [
      'changed the file that the plan deletes',
      ({ repository }) => repository.write('src/other.ts', 'mine\n'),
      'src/other.ts',
      'modified',
    ],
    [
      'deleted a file that the plan changes',
      ({ repository }) => repository.remove('README.md'),
      'README.md',
      'deleted',
    ],
    [
      'changed a file in the same second and with the same size',
      ({ repository }) => {
        const { atime, mtime } = statSync(repository.path('README.md'));
        writeFileSync(repository.path('README.md'), 'mine me\n'.slice(0, 8));
        utimesSync(repository.path('README.md'), atime, mtime);
      },
      'README.md',
      'modified',
    ],
    [
      'has a file told to git to be left alone, and changed',
      async ({ repository }) => {
        await repository.git('update-index', '--assume-unchanged', 'README.md');
        await repository.write('README.md', 'mine\n');
      },
      'README.md',
      'modified',
    ],
    [
      'reaches a parent through a link',
      ({ repository }) => {
        const elsewhere = temporaryDirectory().path;
        writeFileSync(join(elsewhere, 'other.ts'), 'export const other = 1;\n');
        writeFileSync(join(elsewhere, 'main.ts'), 'export const main = 1;\n');
        return repository.remove('src').then(() => symlinkSync(elsewhere, repository.path('src')));
      },
      'src/other.ts',
      'linked-parent',
    ],
  ])('%s: refused, every byte as it was', async (_what, arrange, path, reason) => {
    const { bench, plan } = await commitWith(arrange);
    const error = await bench.expectRefused(() => plan.sandbox.commit('ours'), 'SANDBOX_TARGET_DIRTY');
    expect(error.name).toBe('SandboxCommitError');
    expect(error.data['overlaps']).toEqual([expect.objectContaining({ path, reason })]);
    expect(error.message).toContain(path);
    expect(plan.sandbox.status).toBe('active');
    expect(plan.read('README.md')).toBe('from the plan\n');
  });

  it('is on another branch by now: only the target branch moves', async () => {
    const { bench, plan } = await commitWith(async ({ repository }) => {
      await repository.git('checkout', '--quiet', '-b', 'elsewhere');
      await repository.write('README.md', 'dirty there\n');
    });
    const { mergeRef } = await plan.sandbox.commit('ours');
    expect((await bench.repository.refs())['refs/heads/main']).toBe(mergeRef);
    expect(bench.read('README.md')).toBe('dirty there\n');
    expect(await bench.status()).toEqual(['.M README.md']);
    await bench.expectGitAgrees({ worktrees: 2 });
  });

  it('is detached by now: only the target branch moves', async () => {
    const { bench, plan } = await commitWith(({ repository }) =>
      repository.git('checkout', '--quiet', '--detach'),
    );
    const { mergeRef } = await plan.sandbox.commit('ours');
    expect((await bench.repository.refs())['refs/heads/main']).toBe(mergeRef);
    expect(bench.read('README.md')).toBe('read me\n');
    expect(await bench.status()).toEqual([]);
  });

  it('gave the target branch to another worktree: that one is updated', async () => {
    const linked = join(temporaryDirectory().path, 'linked');
    const { bench, plan } = await commitWith(async ({ repository }) => {
      await repository.git('checkout', '--quiet', '-b', 'elsewhere');
      await repository.git('worktree', 'add', '--quiet', linked, 'main');
    });
    await plan.sandbox.commit('ours');
    const other = new ActiveSandbox(plan.sandbox, linked);
    expect(other.read('README.md')).toBe('from the plan\n');
    expect(await other.repository.status()).toEqual([]);
    expect(bench.read('README.md')).toBe('read me\n');
    expect(await bench.status()).toEqual([]);
    await bench.expectGitAgrees({ worktrees: 3 });
  });

  it('is in the middle of a merge: refused', async () => {
    const { bench, plan } = await commitWith(async ({ repository }) => {
      await repository.git('checkout', '--quiet', '-b', 'side');
      await repository.commit('side', { 'src/main.ts': 'side\n' });
      await repository.git('checkout', '--quiet', 'main');
      await repository.commit('main', { 'src/main.ts': 'main\n' });
      await repository.git('merge', 'side').catch(() => undefined);
    });
    await bench.expectRefused(() => plan.sandbox.commit('ours'), 'SANDBOX_OPERATION_IN_PROGRESS');
  });

  it('was detached from the start: refused, unless a branch is named', async () => {
    const bench = await openBench();
    await bench.repository.git('checkout', '--quiet', '--detach');
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    await bench.expectRefused(() => plan.sandbox.commit('ours'), 'SANDBOX_NO_TARGET');
    const { mergeRef } = await plan.sandbox.commit('ours', { targetBranch: 'main' });
    expect((await bench.repository.refs())['refs/heads/main']).toBe(mergeRef);
    expect((await plan.sandbox.cleanup()).rescuedTo).toBeNull(); // main holds it
  });

  it('is named by its full name as by its short one', async () => {
    const bench = await openBench();
    await bench.repository.git('branch', 'other');
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    const { mergeRef } = await plan.sandbox.commit('ours', { targetBranch: 'refs/heads/other' });
    expect((await bench.repository.refs())['refs/heads/other']).toBe(mergeRef);
  });

  it("is the sandbox's own branch: refused", async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    await bench.expectRefused(
      () => plan.sandbox.commit('ours', { targetBranch: 'cleveragents/plan-plan-1' }),
      'SANDBOX_NO_TARGET',
    );
  });

  it('has no such branch any more: refused', async () => {
    const { bench, plan } = await commitWith(async ({ repository }) => {
      await repository.git('checkout', '--quiet', '-b', 'elsewhere');
      await repository.git('branch', '--quiet', '-D', 'main');
    });
    await bench.expectRefused(() => plan.sandbox.commit('ours'), 'SANDBOX_NO_TARGET');
  });

  it('keeps the stash and the configuration', async () => {
    const { bench, plan } = await commitWith(async ({ repository }) => {
      await repository.write('src/main.ts', 'stashed\n');
      await repository.git('stash', 'push', '--quiet');
    });
    const stash = (await bench.repository.refs())['refs/stash'];
    const config = bench.read('.git/config');
    await plan.sandbox.commit('ours');
    expect((await bench.repository.refs())['refs/stash']).toBe(stash);
    expect(bench.read('.git/config')).toBe(config);
  });
});

describe('a conflict', () => {
  async function conflicted(): Promise<{ bench: SandboxBench; plan: ActiveSandbox }> {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('README.md', 'from the plan\n');
    plan.write('new.txt', 'new\n');
    await bench.repository.commit('theirs', { 'README.md': 'from the user\n', 'theirs.txt': 'theirs\n' });
    return { bench, plan };
  }

  it('is refused on objects alone, each path named', async () => {
    const { bench, plan } = await conflicted();
    const error = await bench.expectRefused(() => plan.sandbox.commit('ours'), 'SANDBOX_MERGE_CONFLICT');
    expect(error.data['conflicts']).toEqual([
      expect.objectContaining({ path: 'README.md', kind: 'content' }),
    ]);
    expect(plan.sandbox.status).toBe('active');
  });

  it('is resolved through a refresh, and applied then', async () => {
    const { bench, plan } = await conflicted();
    const { kind, conflicts } = await plan.sandbox.refresh();
    expect([kind, conflicts.map(({ path }) => path)]).toEqual(['conflicts', ['README.md']]);
    expect(plan.read('README.md')).toMatch(/^<{7}.*\n(.*\n)+>{7}/);
    expect(plan.read('theirs.txt')).toBe('theirs\n');
    expect((await plan.repository.status()).map(({ state, path }) => `${state} ${path}`)).toContain(
      'UU README.md',
    );
    await bench.expectRefused(() => plan.sandbox.commit('too soon'), 'SANDBOX_UNRESOLVED_CONFLICTS');
    await bench.expectRefused(() => plan.sandbox.refresh(), 'SANDBOX_UNRESOLVED_CONFLICTS');
    plan.write('README.md', 'from both\n');
    const again = bench.reopen(plan.sandbox);
    const result = await again.commit('resolved');
    expect(result).toMatchObject({ changedFiles: ['README.md'], addedFiles: ['new.txt'] });
    expect([bench.read('README.md'), bench.read('theirs.txt'), bench.read('new.txt')]).toEqual([
      'from both\n',
      'theirs\n',
      'new\n',
    ]);
    expect(await bench.status()).toEqual([]);
    await bench.expectGitAgrees({ worktrees: 2 });
  });

  it('may be resolved and committed by the agent with git itself', async () => {
    const { bench, plan } = await conflicted();
    await plan.sandbox.refresh();
    await plan.repository.commit('resolved by the agent', { 'README.md': 'from both\n' });
    expect(await plan.repository.git('log', '-1', '--format=%P')).toMatch(/^\w{40} \w{40}$/);
    await plan.sandbox.commit('ours');
    expect(bench.read('README.md')).toBe('from both\n');
    expect(await bench.status()).toEqual([]);
  });
});

describe('a refresh', () => {
  it('merges the new commits of the target into the sandbox', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    const tip = await bench.repository.commit('theirs', { 'theirs.txt': 'theirs\n' });
    expect(await plan.sandbox.refresh()).toEqual({ kind: 'merged', conflicts: [], base: tip });
    expect([plan.read('theirs.txt'), plan.read('new.txt')]).toEqual(['theirs\n', 'new\n']);
    expect((await plan.sandbox.changes()).files.map(({ path }) => path)).toEqual(['new.txt']);
    expect(await plan.repository.status()).toEqual([]);
    await plan.sandbox.commit('ours');
    expect(await bench.status()).toEqual([]);
  });

  it('moves an untouched sandbox along', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    const tip = await bench.repository.commit('theirs', { 'theirs.txt': 'theirs\n' });
    expect(await plan.sandbox.refresh()).toMatchObject({ kind: 'merged', base: tip });
    expect(await plan.repository.head()).toBe(tip);
    expect(await plan.repository.status()).toEqual([]);
  });

  it('has nothing to do when the target stands where it stood', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    expect((await plan.sandbox.refresh()).kind).toBe('up-to-date');
    expect(plan.read('new.txt')).toBe('new\n');
  });
});

describe('a sandbox that was swept by a temp cleaner', () => {
  it('is not committed as a deletion of everything', async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`file-${i}.txt`, `${i}\n`]));
    const bench = await openBench(files);
    const plan = await bench.active();
    for (let i = 0; i < 20; i++) plan.remove(`file-${i}.txt`);
    await bench.expectRefused(() => plan.sandbox.commit('ours'), 'SANDBOX_MASS_DELETION');
    const result = await plan.sandbox.commit('ours', { allowMassDeletion: true });
    expect(result.deletedFiles).toHaveLength(20);
  });

  it('is no such case when the agent said so with git', async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`file-${i}.txt`, `${i}\n`]));
    const bench = await openBench(files);
    const plan = await bench.active();
    for (let i = 0; i < 20; i++) plan.remove(`file-${i}.txt`);
    await plan.repository.commit('delete on purpose');
    expect((await plan.sandbox.commit('ours')).deletedFiles).toHaveLength(20);
  });
});

describe('what no commit can hold', () => {
  it('is left in the sandbox, and named', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    mkdirSync(join(plan.path, 'nested'));
    await new ActiveSandbox(plan.sandbox, join(plan.path, 'nested')).repository.git('init', '--quiet');
    plan.write('nested/file', 'nested\n');
    const { omittedFiles, addedFiles } = await plan.sandbox.commit('ours');
    expect(addedFiles).toEqual(['new.txt']);
    expect(omittedFiles).toEqual([{ path: 'nested', reason: 'is a repository of its own' }]);
    await expect(plan.sandbox.cleanup()).rejects.toMatchObject({
      code: 'SANDBOX_CLEANUP_FAILED',
      data: { repositories: [join(plan.path, 'nested')] },
    });
    expect(plan.read('nested/file')).toBe('nested\n');
    rmSync(join(plan.path, 'nested'), { recursive: true });
    await plan.sandbox.cleanup();
  });

  it('is let go of with a submodule when its remote has everything, and only then', async () => {
    const bench = await openBench();
    const allowed = ['-c', 'protocol.file.allow=always'];
    const library = join(temporaryDirectory().path, 'library.git');
    await bench.repository.git('clone', '--quiet', '--bare', '.', library);
    await bench.repository.git(...allowed, 'submodule', '--quiet', 'add', library, 'library');
    await bench.repository.git('commit', '--quiet', '--message', 'library');
    const plan = await bench.active();
    await plan.repository.git(...allowed, 'submodule', '--quiet', 'update', '--init');
    const inside = new ActiveSandbox(plan.sandbox, join(plan.path, 'library'));
    inside.write('new.txt', 'new\n');
    await expect(plan.sandbox.cleanup()).rejects.toMatchObject({ code: 'SANDBOX_CLEANUP_FAILED' });
    await inside.repository.commit('work in the library');
    await expect(plan.sandbox.cleanup()).rejects.toMatchObject({ code: 'SANDBOX_CLEANUP_FAILED' });
    await inside.repository.git('push', '--quiet', 'origin', 'HEAD:refs/heads/work');
    await plan.sandbox.cleanup();
    await bench.expectGitAgrees({ worktrees: 1 });
  });
});

describe('a plan that adds what the engine cannot do', () => {
  const filtered = async (
    engine: 'isomorphic' | 'auto',
  ): Promise<{ bench: SandboxBench; plan: ActiveSandbox }> => {
    const bench = await openBench();
    await bench.repository.git('config', 'filter.shout.clean', 'tr a-z A-Z');
    const plan = await bench.active('plan-1', { engine });
    plan.write('.gitattributes', '*.loud filter=shout\n');
    plan.write('word.loud', 'word\n');
    return { bench, plan };
  };

  it('is refused, before any of it is in the project, and can be cleaned up', async () => {
    const { bench, plan } = await filtered('isomorphic');
    const error = await bench.expectRefused(() => plan.sandbox.commit(), 'SANDBOX_UNSUPPORTED_REPOSITORY');
    expect(error.message).toContain('*.loud filter=shout');
    await bench.expectRefused(() => plan.sandbox.previewCommit(), 'SANDBOX_UNSUPPORTED_REPOSITORY');
    await bench.expectRefused(() => plan.sandbox.refresh(), 'SANDBOX_UNSUPPORTED_REPOSITORY');
    const { rescuedTo, worktreeRemoved } = await plan.sandbox.cleanup();
    expect(worktreeRemoved).toBe(true);
    expect(await bench.repository.git('show', `${rescuedTo}:word.loud`)).toBe('word');
  });

  it('goes on with the installed git where the choice is free, and is taken back by it', async () => {
    const { bench, plan } = await filtered('auto');
    await plan.sandbox.commit();
    expect(await bench.repository.git('show', 'HEAD:word.loud')).toBe('WORD');
    expect(await bench.status()).toEqual([]);
    await bench.reopen(plan.sandbox).rollback();
    expect([bench.read('word.loud'), await bench.status()]).toEqual([null, []]);
    await plan.sandbox.cleanup();
    await bench.expectGitAgrees({ worktrees: 1 });
  });
});

describe('a clean-up of files that nothing can keep', () => {
  it('is refused, naming them, and done once they are away', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('src/.GIT', 'notes of the agent\n');
    const { omittedFiles } = await plan.sandbox.changes();
    expect(omittedFiles).toEqual([{ path: 'src/.GIT', reason: 'has a name that git does not keep' }]);
    const error = await bench.expectRefused(() => plan.sandbox.cleanup(), 'SANDBOX_CLEANUP_FAILED');
    expect(error.message).toContain('src/.GIT has a name that git does not keep');
    expect(plan.read('src/.GIT')).toBe('notes of the agent\n');
    plan.remove('src/.GIT');
    expect((await plan.sandbox.cleanup()).worktreeRemoved).toBe(true);
  });
});

describe('a setting by which git finds the checkout', () => {
  it.each([
    ['core.bare', 'true'],
    ['core.worktree', '/nowhere'],
  ])(
    '%s that was changed meanwhile is refused: the branch would move without the files',
    async (name, value) => {
      const bench = await openBench();
      const plan = await bench.active();
      plan.write('new.txt', 'new\n');
      await bench.repository.git('config', name, value);
      const error = await bench.expectRefused(() => plan.sandbox.commit(), 'SANDBOX_BROKEN');
      expect(error.message).toContain(name);
    },
  );
});
