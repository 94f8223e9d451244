import { rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from '@jest/globals';
import { createRepository, temporaryDirectory } from '@cleveragents/shared-testing';
import { bundledCli } from './support/bundled-cli.ts';
import { RefusalBench, type RefusalCase, refused } from './support/refusal-bench.ts';

const bundle = temporaryDirectory();
let cli: readonly string[];
let bench: RefusalBench;

beforeAll(async () => {
  cli = await bundledCli(bundle.path);
});
afterAll(() => bundle.remove());
beforeEach(async () => {
  bench = await RefusalBench.open(cli);
});
afterEach(() => bench.close());

const git = (...args: readonly string[]): Promise<string> => bench.repository.git(...args);

describe('an apply, when the user', () => {
  it.each<RefusalCase>([
    [
      'changed a file that the plan changes',
      () => bench.write('README.md', 'mine\n'),
      refused('SANDBOX_TARGET_DIRTY', 'README.md'),
    ],
    [
      'changed it in the same second, to the same size',
      () => {
        const path = bench.repository.path('README.md');
        const { atime, mtime } = statSync(path);
        writeFileSync(path, 'mine me\n');
        utimesSync(path, atime, mtime);
      },
      refused('SANDBOX_TARGET_DIRTY', 'README.md'),
    ],
    [
      'staged a file that the plan changes',
      async () => {
        bench.write('README.md', 'mine\n');
        await git('add', 'README.md');
      },
      refused('SANDBOX_TARGET_DIRTY', 'README.md'),
    ],
    [
      'changed a file that the plan deletes',
      () => bench.write('src/other.ts', 'mine\n'),
      refused('SANDBOX_TARGET_DIRTY', 'src/other.ts'),
    ],
    [
      'deleted a file that the plan changes',
      () => bench.repository.remove('README.md'),
      refused('SANDBOX_TARGET_DIRTY', 'README.md'),
    ],
    [
      'has an untracked file in the way',
      () => bench.write('new.txt', 'mine\n'),
      refused('SANDBOX_TARGET_DIRTY', 'new.txt'),
    ],
    [
      'has an ignored file in the way',
      () => {
        bench.write('.gitignore', '*.log\nnew.txt\n');
        bench.write('new.txt', 'mine\n');
      },
      refused('SANDBOX_TARGET_DIRTY', 'new.txt'),
    ],
    [
      'has a directory in the way',
      () => bench.write('new.txt/inside', 'mine\n'),
      refused('SANDBOX_TARGET_DIRTY', 'new.txt'),
    ],
    [
      'reaches a parent through a link',
      async () => {
        await bench.repository.remove('src');
        symlinkSync(temporaryDirectory().path, bench.repository.path('src'));
      },
      refused('SANDBOX_TARGET_DIRTY', 'src/other.ts'),
    ],
    [
      'committed another change of the same lines',
      () => bench.repository.commit('theirs', { 'README.md': 'theirs\n' }),
      refused('SANDBOX_MERGE_CONFLICT', 'README.md'),
    ],
    [
      'is in the middle of a merge',
      () => bench.stopInTheMiddleOf('merge', 'side'),
      refused('SANDBOX_OPERATION_IN_PROGRESS', 'merge'),
    ],
    [
      'deleted the branch',
      async () => {
        await git('checkout', '--quiet', '-b', 'elsewhere');
        await git('branch', '--quiet', '-D', 'main');
      },
      refused('SANDBOX_NO_TARGET', 'main'),
    ],
    [
      'has no name',
      async () => {
        await git('config', '--unset', 'user.name').catch(() => undefined);
        await git('config', '--unset', 'user.email').catch(() => undefined);
        await git('config', 'user.useConfigOnly', 'true');
        for (const name of [
          'GIT_AUTHOR_NAME',
          'GIT_AUTHOR_EMAIL',
          'GIT_COMMITTER_NAME',
          'GIT_COMMITTER_EMAIL',
          'EMAIL',
        ])
          bench.set(name, '');
      },
      refused('SANDBOX_IDENTITY_MISSING', /name|author/),
    ],
    [
      'holds the index: a git that runs, or died',
      () => bench.write('.git/index.lock', ''),
      refused('SANDBOX_LOCKED', 'index.lock'),
    ],
    [
      'holds the branch',
      () => bench.write('.git/refs/heads/main.lock', ''),
      refused('SANDBOX_LOCKED', 'main.lock'),
    ],
  ])('%s', async (_what, arrange, refusal) => {
    bench.plan('p', { 'README.md': 'from the plan\n', 'new.txt': 'new\n', 'src/other.ts': null });
    await arrange();
    await bench.expectRefused(['plan', 'apply', 'p', '--timeout', '1'], refusal);
  });
});

describe('an apply of a plan', () => {
  it.each<RefusalCase>([
    [
      'that began on no branch',
      async () => {
        await git('checkout', '--quiet', '--detach');
        bench.plan('p', { 'new.txt': 'new\n' });
      },
      refused('SANDBOX_NO_TARGET', 'branch'),
    ],
    [
      'whose conflicts are not resolved',
      async () => {
        bench.plan('p', { 'README.md': 'ours\n' });
        await bench.repository.commit('theirs', { 'README.md': 'theirs\n' });
        bench.run(['plan', 'refresh', 'p']);
      },
      refused('SANDBOX_UNRESOLVED_CONFLICTS', 'README.md'),
    ],
    [
      'in which most files are gone',
      async () => {
        const names = Array.from({ length: 30 }, (_, number) => `many/${number}.txt`);
        await bench.repository.commit('many', Object.fromEntries(names.map((name) => [name, `${name}\n`])));
        bench.plan('p', { many: null });
      },
      refused('SANDBOX_MASS_DELETION', '30'),
    ],
    [
      'whose sandbox points to another repository',
      async () => {
        const other = await createRepository({ files: { a: 'a\n' } });
        const path = bench.plan('p', { 'new.txt': 'new\n' });
        writeFileSync(join(path, '.git'), `gitdir: ${join(other.root, '.git')}\n`);
      },
      refused('SANDBOX_BROKEN', /git/),
    ],
    [
      'whose sandbox is gone',
      () => rmSync(bench.plan('p', { 'new.txt': 'new\n' }), { recursive: true }),
      refused('SANDBOX_BROKEN', 'is gone'),
    ],
    [
      'that was applied already',
      () => {
        bench.plan('p', { 'new.txt': 'new\n' });
        bench.succeed('plan', 'apply', 'p');
      },
      refused('SANDBOX_INVALID_STATE', 'applied already'),
    ],
    [
      'that was rolled back',
      () => {
        bench.plan('p', { 'new.txt': 'new\n' });
        bench.succeed('plan', 'exec', 'p', '--', 'true');
        bench.succeed('plan', 'rollback', 'p');
      },
      refused('SANDBOX_INVALID_STATE', 'rolled back'),
    ],
    [
      'that was cleaned up',
      () => {
        bench.plan('p');
        bench.succeed('plan', 'cleanup', 'p');
      },
      refused('PLAN_WITHOUT_SANDBOX', 'removed'),
    ],
    ['that nobody knows', () => undefined, { exitCode: 4, code: 'PLAN_NOT_FOUND', words: '"p"' }],
  ])('%s', async (_what, arrange, refusal) => {
    await arrange();
    await bench.expectRefused(['plan', 'apply', 'p'], refusal);
  });

  it('whose command still runs', async () => {
    bench.plan('p', { 'new.txt': 'new\n' });
    const working = await bench.start(['plan', 'exec', 'p', '--', 'sh', '-c', 'echo begun; read end']);
    await bench.expectRefused(['plan', 'apply', 'p'], refused('PLAN_BUSY', 'still goes on'));
    await working.end();
    bench.succeed('plan', 'apply', 'p');
  });
});

describe('a rollback', () => {
  it.each<RefusalCase>([
    [
      'of an apply that others built upon',
      () => bench.repository.commit('later work', { 'later.txt': 'later\n' }),
      refused('SANDBOX_BRANCH_MOVED', 'later work'),
    ],
    [
      'of an apply whose files the user edited since',
      () => bench.write('README.md', 'edited since\n'),
      refused('SANDBOX_ROLLBACK_FAILED', 'README.md'),
    ],
    [
      'while the index is held',
      () => bench.write('.git/index.lock', ''),
      refused('SANDBOX_LOCKED', 'index.lock'),
    ],
  ])('%s', async (_what, arrange, refusal) => {
    bench.plan('p', { 'README.md': 'from the plan\n' });
    bench.succeed('plan', 'apply', 'p');
    await arrange();
    await bench.expectRefused(['plan', 'rollback', 'p', '--timeout', '1'], refusal);
    bench.expectTold(['plan', 'rollback', 'p', '--timeout', '1'], refusal);
  });

  it('by a new commit, where later commits changed the same lines', async () => {
    bench.plan('p', { 'README.md': 'from the plan\n' });
    bench.succeed('plan', 'apply', 'p');
    await bench.repository.commit('later work', { 'README.md': 'changed again\n' });
    await bench.expectRefused(
      ['plan', 'rollback', 'p', '--revert'],
      refused('SANDBOX_ROLLBACK_FAILED', 'README.md'),
    );
  });

  it('of a plan in which nothing was done', async () => {
    bench.plan('p');
    await bench.expectRefused(
      ['plan', 'rollback', 'p'],
      refused('SANDBOX_INVALID_STATE', 'Nothing was done'),
    );
  });
});

describe('a restore', () => {
  it('of a plan of which nothing was kept', async () => {
    bench.plan('p');
    bench.succeed('plan', 'cleanup', 'p');
    await bench.expectRefused(['plan', 'restore', 'p'], {
      exitCode: 4,
      code: 'PLAN_NOTHING_RESCUED',
      words: '"p"',
    });
  });
});
