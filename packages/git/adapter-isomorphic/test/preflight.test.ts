import {
  appendFileSync,
  chmodSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  commitFiles,
  git,
  GIT_ENVIRONMENT,
  gitBytes,
  makeProject,
  makeRepository,
  revision,
  write,
} from '@cleveragents/shared-testing/real-git';
import { GitConfig } from '../src/git-config.ts';
import { inspectRepository, type Inspection, readOperationInProgress } from '../src/preflight.ts';
import { findRepository } from '../src/repository-layout.ts';

let folder: string;
let root: string;
beforeEach(() => {
  ({ folder, root } = makeProject());
  commitFiles(root, { 'a/file.txt': 'one\n', 'file.bin': 'two\n' });
});
async function inspect(directory = root, environment = GIT_ENVIRONMENT): Promise<Inspection> {
  const layout = await findRepository(directory);
  if (layout === null) throw new Error('no repository');
  return inspectRepository(layout, await GitConfig.load(layout, environment), environment);
}

const features = (list: Inspection['unsupported']): readonly string[] =>
  list.map(({ feature }) => feature).sort();
const config = (name: string, value: string) => (): unknown => git(root, 'config', name, value);
const attributes = (text: string) => (): void => {
  write(root, '.gitattributes', text);
};

it('finds nothing in an ordinary repository, whatever harmless things it has', async () => {
  git(root, 'config', 'core.autocrlf', 'false');
  git(root, 'config', 'core.fileMode', 'false');
  git(root, 'config', 'core.eol', 'lf');
  git(root, 'config', 'extensions.worktreeConfig', 'true');
  git(root, 'config', 'extensions.unheeded', 'in a repository of format 0');
  write(
    root,
    '.gitattributes',
    '* text=auto\n*.png binary\n*.txt diff merge=text -filter !ident\n*.sh eol=lf\n',
  );
  commitFiles(root, { 'crlf.dat': 'a\r\nb\r\n', 'run.sh': 'true\n', 'ünï.txt': 'x' });
  git(root, 'worktree', 'add', '-q', '../linked');
  write(root, 'intended', 'x');
  git(root, 'add', '-N', 'intended');
  git(root, 'gc', '-q');
  git(root, 'multi-pack-index', 'write');
  expect(await inspect()).toEqual({ unsupported: [], notes: [] });
  expect(await inspect(join(folder, 'linked'))).toEqual({ unsupported: [], notes: [] });
});

describe('refuses before anything is touched', () => {
  it.each<readonly [feature: string, make: () => unknown]>([
    [
      'unknown-extension',
      () => (git(root, 'config', 'core.repositoryformatversion', '1'), config('extensions.new', 'x')()),
    ],
    ['repository-format', config('core.repositoryformatversion', '2')],
    ['partial-clone', config('remote.origin.promisor', 'true')],
    ['index-v4', () => git(root, 'update-index', '--index-version', '4')],
    ['split-index', () => git(root, 'update-index', '--split-index')],
    ['sparse-checkout', () => git(root, 'update-index', '--skip-worktree', 'file.bin')],
    ['sparse-checkout', () => git(root, 'sparse-checkout', 'set', 'a')],
    ['damaged-index', () => truncateSync(join(root, '.git/index'), 100)],
    ['alternates', () => write(root, '.git/objects/info/alternates', '../../../other/.git/objects\n')],
    ['replace-refs', () => (commitFiles(root, {}), git(root, 'replace', '--graft', 'HEAD'))],
    [
      'replace-refs',
      () => (commitFiles(root, {}), git(root, 'replace', '--graft', 'HEAD'), git(root, 'pack-refs', '--all')),
    ],
    ['grafts', () => write(root, '.git/info/grafts', `${revision(root, 'HEAD')}\n`)],
    ['autocrlf', config('core.autocrlf', 'true')],
    ['autocrlf', config('core.autocrlf', 'input')],
    ['core-eol', config('core.eol', 'crlf')],
    ['filter', attributes('*.bin filter=lfs diff=lfs merge=lfs -text\n')],
    ['ident', attributes('a/*.txt ident\n')],
    ['working-tree-encoding', attributes('*.txt working-tree-encoding=UTF-16\n')],
    ['eol-crlf', attributes('*.bat text eol=crlf\n')],
    ['merge-driver', attributes('CHANGELOG.md merge=union\n')],
    ['commit-signing', config('commit.gpgsign', 'true')],
    ['no-symlinks', config('core.symlinks', 'false')],
    ['shared-repository', config('core.sharedRepository', 'group')],
    [
      'large-pack',
      () => (
        write(root, '.git/objects/pack/pack-x.pack', ''),
        truncateSync(join(root, '.git/objects/pack/pack-x.pack'), 1.6e9)
      ),
    ],
    [
      'symlink-head',
      () => (rmSync(join(root, '.git/HEAD')), symlinkSync('refs/heads/main', join(root, '.git/HEAD'))),
    ],
  ])('%s', async (feature, make) => {
    make();
    const { unsupported } = await inspect();
    expect(features(unsupported)).toContain(feature);
    for (const { detail, wayOut } of unsupported)
      expect([detail, wayOut].every((text) => text.length > 10)).toBe(true);
  });

  it('files that are left out of the work tree, counted', async () => {
    git(root, 'update-index', '--skip-worktree', 'file.bin');
    expect((await inspect()).unsupported[0]?.detail).toBe('1 file is marked skip-worktree: file.bin');
    git(root, 'update-index', '--skip-worktree', 'a/file.txt');
    expect((await inspect()).unsupported[0]?.detail).toMatch(/^2 files are marked skip-worktree: /);
  });

  it('a sparse index, whose entries are whole folders', async () => {
    git(root, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'b');
    expect(features((await inspect()).unsupported)).toEqual(['sparse-checkout', 'sparse-index']);
  });

  it('sha256, though nothing else of it can be read', async () => {
    const other = makeRepository(join(folder, 'other'), '--object-format=sha256');
    git(other, 'commit', '-q', '--allow-empty', '-m', 'x');
    expect(features((await inspect(other)).unsupported)).toEqual(['sha256']);
  });

  it('a reftable, by its extension or its folder', async () => {
    git(root, 'config', 'core.repositoryformatversion', '1');
    git(root, 'config', 'extensions.refStorage', 'reftable');
    expect(features((await inspect()).unsupported)).toEqual(['reftable']);
    write(root, '.git/config', '[core]\n repositoryformatversion = 0\n');
    write(root, '.git/reftable/tables.list', '');
    expect(features((await inspect()).unsupported)).toEqual(['reftable']);
  });

  it('a partial clone as git makes it', async () => {
    git(root, 'config', 'uploadpack.allowFilter', 'true');
    git(folder, 'clone', '-q', '--filter=blob:none', `file://${root}`, 'partial');
    expect(features((await inspect(join(folder, 'partial'))).unsupported)).toEqual(['partial-clone']);
  });

  it('a shared clone as git makes it', async () => {
    git(folder, 'clone', '-q', '--shared', root, 'shared');
    expect(features((await inspect(join(folder, 'shared'))).unsupported)).toEqual(['alternates']);
  });

  it('names that are no UTF-8', async () => {
    const blob = revision(root, 'HEAD:file.bin');
    const entry = Buffer.from(`100644 ${blob}\tcaf\xe9\0`, 'latin1');
    gitBytes(root, ['update-index', '-z', '--index-info'], { input: entry });
    const { unsupported } = await inspect();
    expect(unsupported).toMatchObject([
      { feature: 'non-utf8-paths', detail: expect.stringContaining('café') },
    ]);
  });

  it('files beyond 256 MB, by what the index says of them', async () => {
    const index = readFileSync(join(root, '.git/index'));
    index.writeUInt32BE(257 * 2 ** 20, index.indexOf('file.bin') - 26);
    writeFileSync(join(root, '.git/index'), index);
    expect(features((await inspect()).unsupported)).toEqual(['large-file']);
  });

  it('attributes wherever git reads them from', async () => {
    const places = [
      join(root, '.git/info/attributes'),
      join(folder, 'xdg/git/attributes'),
      join(folder, 'mine'),
      join(root, 'a/.gitattributes'),
    ];
    const environment = { ...GIT_ENVIRONMENT, XDG_CONFIG_HOME: join(folder, 'xdg') };
    for (const place of places) {
      write('/', place, '*.txt filter=x\n');
      if (place === join(folder, 'mine')) git(root, 'config', 'core.attributesFile', place);
      if (place === join(root, 'a/.gitattributes')) git(root, 'add', place);
      expect(features((await inspect(root, environment)).unsupported)).toEqual(['filter']);
      rmSync(place);
    }
    expect((await inspect(root, environment)).unsupported).toEqual([]);
  });

  it('CR LF only in files whose attributes call them text, as git status shows', async () => {
    commitFiles(root, { 'a/crlf.txt': 'one\r\ntwo\r\n', 'other.dat': 'a\r\n' });
    const cases: readonly (readonly [string, boolean])[] = [
      ['*.txt text\n', true],
      ['*.txt eol=lf\n', true],
      ['a/** text\n', true],
      ['[attr]mine text\n*.txt mine\n', true],
      ['*.txt text=auto\n', false],
      ['*.txt text\n*.txt -text\n', false],
      ['*.md text\n', false],
      ['b/*.txt text\n', false],
    ];
    for (const [rules, refused] of cases) {
      write(root, '.gitattributes', rules);
      rmSync(join(root, 'a/crlf.txt'));
      git(root, 'checkout', 'a/crlf.txt');
      expect([rules, features((await inspect()).unsupported)]).toEqual([
        rules,
        refused ? ['crlf-files'] : [],
      ]);
      expect([rules, git(root, 'status', '--porcelain', 'a') !== '']).toEqual([rules, refused]);
    }
  });
});

describe('a repository of somebody else', () => {
  const isRoot = process.geteuid?.() === 0;
  /** Only root can give folders away; anybody else sees the system's folders as foreign. */
  const give = async (): Promise<void> => {
    const { chownSync } = await import('node:fs');
    if (isRoot) chownSync(root, 12345, 12345);
  };

  it('is refused, unless safe.directory names it or sudo was called by its owner', async () => {
    await give();
    if (!isRoot) return;
    const inspectWith = async (value: string | null, more = {}): Promise<readonly string[]> => {
      const environment = { ...GIT_ENVIRONMENT, GIT_CONFIG_GLOBAL: join(folder, 'global'), ...more };
      write(folder, 'global', value === null ? '' : `[safe]\n directory = ${value}\n`);
      return features((await inspect(root, environment)).unsupported);
    };
    expect(await inspectWith(null)).toEqual(['foreign-owner']);
    expect(() => git(root, 'status')).toThrow('dubious ownership');
    expect(await inspectWith(root)).toEqual([]);
    expect(await inspectWith('*')).toEqual([]);
    expect(await inspectWith(`${root}\n directory =`)).toEqual(['foreign-owner']);
    expect(await inspectWith('/elsewhere')).toEqual(['foreign-owner']);
    expect(await inspectWith(null, { SUDO_UID: '12345' })).toEqual([]);
    appendFileSync(join(root, '.git/config'), '[safe]\n directory = *\n');
    expect(await inspectWith(null)).toEqual(['foreign-owner']);
  });
});

describe('notes what will be otherwise than some expect', () => {
  it('hooks that do not run, but no sample and none that cannot run', async () => {
    write(root, '.git/hooks/pre-commit', '#!/bin/sh\n');
    chmodSync(join(root, '.git/hooks/pre-commit'), 0o755);
    write(root, '.git/hooks/commit-msg', '#!/bin/sh\n');
    expect((await inspect()).notes).toMatchObject([
      { feature: 'hooks', detail: 'these do not run: pre-commit' },
    ]);
    git(root, 'config', 'core.hooksPath', 'elsewhere');
    expect((await inspect()).notes).toEqual([]);
  });

  it('submodules', async () => {
    const library = makeRepository(join(folder, 'library'));
    commitFiles(library, { file: 'x' });
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'sub');
    expect(await inspect()).toMatchObject({
      unsupported: [],
      notes: [{ feature: 'submodules', detail: '1 submodule stays as it is, and empty in a sandbox: sub' }],
    });
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'two');
    expect((await inspect()).notes).toMatchObject([
      { detail: '2 submodules stay as they are, and empty in a sandbox: sub, two' },
    ]);
  });

  it('a shallow history, conditional settings, names without case, and another encoding of commits', async () => {
    commitFiles(root, { more: 'x' });
    git(folder, 'clone', '-q', '--depth=1', `file://${root}`, 'shallow');
    const shallow = join(folder, 'shallow');
    git(shallow, 'config', 'includeIf.gitdir:/x/.path', '/nowhere');
    git(shallow, 'config', 'core.ignorecase', 'true');
    git(shallow, 'config', 'i18n.commitEncoding', 'ISO-8859-1');
    const { unsupported, notes } = await inspect(shallow);
    expect(unsupported).toEqual([]);
    expect(features(notes)).toEqual(['commit-encoding', 'ignorecase', 'include-if', 'shallow']);
  });
});

describe('an operation in progress', () => {
  const inProgress = (): Promise<string | null> => readOperationInProgress(join(root, '.git'));
  /** Two branches that change one line each their way. */
  function diverge(): void {
    git(root, 'checkout', '-q', '-b', 'side');
    commitFiles(root, { 'file.bin': 'side\n' });
    git(root, 'checkout', '-q', 'main');
    commitFiles(root, { 'file.bin': 'main\n' });
  }

  it.each([
    ['merge', ['merge', 'side'], ['merge', '--abort']],
    ['rebase', ['rebase', 'side'], ['rebase', '--abort']],
    ['rebase', ['rebase', '--apply', 'side'], ['rebase', '--abort']],
    ['cherry-pick', ['cherry-pick', 'side'], ['cherry-pick', '--abort']],
    ['revert', ['revert', '--no-edit', 'HEAD^'], ['revert', '--abort']],
    ['bisect', ['bisect', 'start'], ['bisect', 'reset']],
  ] as const)('is known as %s', async (operation, begin, end) => {
    diverge();
    expect(await inProgress()).toBeNull();
    try {
      git(root, ...begin);
    } catch {
      // a conflict is what keeps it in progress
    }
    expect(await inProgress()).toBe(operation);
    git(root, ...end);
    expect(await inProgress()).toBeNull();
  });

  it('is known as am', async () => {
    diverge();
    const patch = git(root, 'format-patch', '--stdout', 'main..side');
    expect(() => gitBytes(root, ['am'], { input: patch })).toThrow();
    expect(await inProgress()).toBe('am');
  });
});
