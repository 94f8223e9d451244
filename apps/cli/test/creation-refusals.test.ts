import { execFileSync } from 'node:child_process';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from '@jest/globals';
import { createRepository, hermeticGitEnvironment, temporaryDirectory } from '@cleveragents/shared-testing';
import { bundledCli } from './support/bundled-cli.ts';
import { type Refusal, RefusalBench, type RefusalCase, refused } from './support/refusal-bench.ts';

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
const unsupported = (words: string | RegExp, code = 'SANDBOX_UNSUPPORTED_REPOSITORY'): Refusal => ({
  exitCode: 5,
  code,
  words,
});

describe('a sandbox', () => {
  it.each<RefusalCase>([
    [
      'of a bare repository',
      async () => {
        bench.project = join(temporaryDirectory().path, 'bare.git');
        await git('clone', '--quiet', '--bare', '.', bench.project);
      },
      unsupported('bare', 'SANDBOX_BARE_REPOSITORY'),
    ],
    [
      'of a repository without a commit',
      async () => {
        bench.project = (await createRepository()).root;
      },
      unsupported('no commit', 'SANDBOX_NO_COMMIT'),
    ],
    [
      'during a merge',
      () => bench.stopInTheMiddleOf('merge', 'side'),
      refused('SANDBOX_OPERATION_IN_PROGRESS', 'merge'),
    ],
    [
      'during a rebase',
      () => bench.stopInTheMiddleOf('rebase', 'side'),
      refused('SANDBOX_OPERATION_IN_PROGRESS', 'rebase'),
    ],
    [
      'where a branch takes the name of our namespace',
      () => git('branch', 'cleveragents'),
      refused('SANDBOX_BRANCH_BLOCKED', 'cleveragents'),
    ],
    [
      'where the branch exists and is not ours',
      () => git('branch', 'cleveragents/plan-p'),
      refused('SANDBOX_BRANCH_EXISTS', 'cleveragents/plan-p'),
    ],
    [
      'that would lie where nothing can be made',
      () => {
        const file = join(temporaryDirectory().path, 'file');
        writeFileSync(file, '');
        bench.set('XDG_STATE_HOME', file);
      },
      refused('CLI_STATE_FOLDER', /file/),
    ],
    [
      'of a plan that is open already',
      () => bench.plan('p'),
      refused('PLAN_EXISTS', /"p" already, and it is open/),
    ],
  ])('%s', async (_what, arrange, refusal) => {
    await arrange();
    await bench.expectRefused(['plan', 'create', 'p'], refusal);
  });
});

describe('a sandbox that is asked for', () => {
  const usage = (words: string | RegExp): Refusal => ({ exitCode: 2, code: 'VALIDATION_FAILED', words });
  it.each<readonly [what: string, words: readonly string[], refusal: Refusal]>([
    ['under an empty plan id', ['plan', 'create', ''], usage('plan_id cannot be empty')],
    [
      'with a link out of the project',
      ['plan', 'create', 'p', '--link', '../x'],
      usage('Path traversal not allowed'),
    ],
    [
      'with a copy of an absolute path',
      ['plan', 'create', 'p', '--copy', '/etc/passwd'],
      usage('Path traversal not allowed'),
    ],
    [
      'with no time to be made in',
      ['plan', 'create', 'p', '--timeout', '0'],
      { exitCode: 2, code: 'CLI_USAGE', words: '--timeout' },
    ],
    [
      'with a link to what is not there',
      ['plan', 'create', 'p', '--link', 'missing'],
      { exitCode: 4, code: 'SANDBOX_SOURCE_MISSING', words: 'missing' },
    ],
  ])('%s', async (_what, words, refusal) => {
    await bench.expectRefused(words, refusal);
  });
});

/** Each is found before anything is touched; what the engine makes of it is told in the tests of its preflight. */
describe('a repository with', () => {
  const config = (name: string, value: string) => () => git('config', name, value);
  const attributes = (text: string) => () => bench.write('.gitattributes', text);

  it.each<readonly [what: string, arrange: () => unknown, words: string | RegExp]>([
    [
      'SHA-256 objects',
      async () => {
        bench.project = (await createRepository({ objectFormat: 'sha256', files: { a: 'a\n' } })).root;
      },
      /sha-?256/i,
    ],
    ['references in a reftable', () => bench.write('.git/reftable/tables.list', ''), /reftable/],
    [
      'an extension that nobody knows',
      async () => {
        await git('config', 'core.repositoryFormatVersion', '1');
        await git('config', 'extensions.new', 'x');
      },
      /extensions\.new/,
    ],
    ['a partial clone', config('remote.origin.promisor', 'true'), /partial/],
    ['an index of version 4', () => git('update-index', '--index-version', '4'), /version 4/],
    ['a split index', () => git('update-index', '--split-index'), /split/],
    ['a sparse checkout', () => git('update-index', '--skip-worktree', 'README.md'), /skip-worktree|sparse/],
    ['a sparse index', () => git('sparse-checkout', 'set', '--cone', '--sparse-index', 'missing'), /sparse/],
    ['a damaged index', () => truncateSync(bench.repository.path('.git/index'), 100), /index/],
    [
      'objects of another repository',
      () => bench.write('.git/objects/info/alternates', '../../../other/.git/objects\n'),
      /alternates/,
    ],
    [
      'replaced objects',
      async () => {
        await bench.repository.commit('second', { 'second.txt': 'second\n' });
        await git('replace', '--graft', 'HEAD');
      },
      /replace/,
    ],
    ['core.autocrlf', config('core.autocrlf', 'true'), /autocrlf/],
    ['core.autocrlf=input', config('core.autocrlf', 'input'), /autocrlf/],
    ['a filter', attributes('*.bin filter=lfs diff=lfs merge=lfs -text\n'), /filter/],
    ['ident', attributes('*.txt ident\n'), /ident/],
    ['another encoding in the work tree', attributes('*.txt working-tree-encoding=UTF-16\n'), /encoding/],
    ['line ends of its own', attributes('*.bat text eol=crlf\n'), /eol/],
    [
      'CR LF in a file that is text',
      async () => {
        await bench.repository.commit('crlf', { 'crlf.txt': 'one\r\ntwo\r\n' });
        bench.write('.gitattributes', '*.txt text\n');
      },
      /CR ?LF/,
    ],
    ['a merge driver', attributes('CHANGELOG.md merge=union\n'), /merge/],
    ['commits that are signed', config('commit.gpgSign', 'true'), /sign/],
    [
      'a pack that is too large',
      () => {
        const pack = '.git/objects/pack/pack-x.pack';
        bench.write(pack, '');
        truncateSync(bench.repository.path(pack), 1.6e9);
        bench.leaveOut.push(pack); // seconds of reading holes
      },
      /pack/,
    ],
    [
      'a file that is too large',
      () => {
        const path = bench.repository.path('.git/index');
        const index = readFileSync(path);
        index.writeUInt32BE(257 * 2 ** 20, index.indexOf('README.md') - 26);
        writeFileSync(path, index);
      },
      /README\.md/,
    ],
    [
      'a name that is no UTF-8',
      async () => {
        const blob = await git('rev-parse', 'HEAD:README.md');
        const entry = Buffer.from(`100644 ${blob}\tcaf\xe9\0`, 'latin1');
        execFileSync('git', ['update-index', '-z', '--index-info'], {
          cwd: bench.repository.root,
          env: hermeticGitEnvironment(),
          input: entry,
        });
      },
      /UTF-8/,
    ],
  ])('%s', async (_what, arrange, words) => {
    await arrange();
    await bench.expectRefused(['plan', 'create', 'p'], unsupported(words));
  });
});
