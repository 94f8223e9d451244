import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hermeticGitEnvironment } from './hermetic-git.ts';
import type { Files } from './temporary-repository.ts';

/** A repository that only the installed git can work on. Each has `a.txt` and `src/b.txt`, committed, and is clean. */
export interface OddRepository {
  readonly what: string;
  /**
   * @param folder is there already; nothing else is in it.
   * @returns the root of the work tree.
   */
  readonly make: (folder: string) => string;
}

const FILES: Files = { 'a.txt': 'one\ntwo\nthree\n', 'src/b.txt': 'b\n', 'src/deep/c.txt': 'c\n' };

function git(directory: string, ...commandLine: readonly string[]): string {
  return execFileSync('git', commandLine, {
    cwd: directory,
    env: hermeticGitEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  }).replace(/\n$/, '');
}

function makeRepository(root: string, ...init: readonly string[]): string {
  mkdirSync(root, { recursive: true });
  git(root, 'init', '-q', '-b', 'main', ...init);
  return named(root);
}

function named(root: string): string {
  git(root, 'config', 'user.name', 'Ada Author');
  git(root, 'config', 'user.email', 'ada@example.invalid');
  return root;
}

/** @returns the commit. */
function commitFiles(root: string, files: Files): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '-m', 'a commit');
  return git(root, 'rev-parse', 'HEAD');
}

/** The files are checked out anew, so that they lie there as the settings would have them. */
function checkedOutAnew(root: string): string {
  git(root, 'rm', '-rq', '--cached', '.');
  git(root, 'reset', '-q', '--hard');
  return root;
}

function withAttributes(attributes: string, settings: readonly string[] = []) {
  return (folder: string): string => {
    const root = makeRepository(join(folder, 'project'));
    for (const setting of settings) git(root, 'config', ...(setting.split('=') as [string, string]));
    commitFiles(root, { ...FILES, '.gitattributes': attributes });
    return checkedOutAnew(root);
  };
}

function withSettings(...settings: readonly (readonly [string, string])[]) {
  return (folder: string): string => {
    const root = makeRepository(join(folder, 'project'));
    for (const [name, value] of settings) git(root, 'config', name, value);
    commitFiles(root, FILES);
    return checkedOutAnew(root);
  };
}

/** A program that signs nothing, but says so as gpg does. */
function fakeSigner(folder: string): string {
  const program = join(folder, 'signer');
  writeFileSync(
    program,
    '#!/bin/sh\ncat >/dev/null\necho "[GNUPG:] SIG_CREATED D" >&2\nprintf -- "-----BEGIN PGP SIGNATURE-----\\n\\nfake\\n-----END PGP SIGNATURE-----\\n"\n',
  );
  chmodSync(program, 0o755);
  return program;
}

function plain(folder: string, name = 'project', ...init: readonly string[]): string {
  const root = makeRepository(join(folder, name), ...init);
  commitFiles(root, FILES);
  return root;
}

export const ODD_REPOSITORIES: readonly OddRepository[] = [
  { what: 'SHA-256', make: (folder: string): string => plain(folder, 'project', '--object-format=sha256') },
  { what: 'core.autocrlf', make: withSettings(['core.autocrlf', 'true']) },
  { what: 'an attribute eol=crlf', make: withAttributes('*.txt text eol=crlf\n') },
  { what: 'an attribute ident', make: withAttributes('*.txt ident\n') },
  {
    what: 'a working-tree-encoding',
    make: withAttributes('*.txt text working-tree-encoding=UTF-16LE-BOM\n'),
  },
  {
    what: 'a filter',
    make: withAttributes('*.txt filter=turn\n', [
      'filter.turn.clean=tr a-z n-za-m',
      'filter.turn.smudge=tr a-z n-za-m',
      'filter.turn.required=true',
    ]),
  },
  {
    what: 'a merge driver',
    make: withAttributes('*.txt merge=mine\n', ['merge.mine.driver=git merge-file --union %A %O %B']),
  },
  {
    what: 'an index of version 4',
    make: (folder: string): string => {
      const root = plain(folder);
      git(root, 'update-index', '--index-version', '4');
      return root;
    },
  },
  {
    what: 'a split index',
    make: (folder: string): string => {
      const root = plain(folder);
      git(root, 'config', 'core.splitIndex', 'true');
      git(root, 'update-index', '--split-index');
      return root;
    },
  },
  {
    what: 'a sparse checkout',
    make: (folder: string): string => {
      const root = plain(folder);
      commitFiles(root, { 'hidden/h.txt': 'h\n', 'hidden/deep/i.txt': 'i\n' });
      git(root, 'sparse-checkout', 'set', 'src');
      return root;
    },
  },
  {
    what: 'a sparse index',
    make: (folder: string): string => {
      const root = plain(folder);
      commitFiles(root, { 'hidden/h.txt': 'h\n', 'hidden/deep/i.txt': 'i\n' });
      git(root, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'src');
      return root;
    },
  },
  {
    what: 'alternates',
    make: (folder: string): string => {
      plain(folder, 'source');
      git(folder, 'clone', '-q', '--shared', 'source', 'project');
      return named(join(folder, 'project'));
    },
  },
  {
    what: 'a replaced object',
    make: (folder: string): string => {
      const root = plain(folder);
      const second = commitFiles(root, { 'later.txt': 'later\n' });
      const other = git(root, 'commit-tree', '-m', 'another message', '-p', `${second}^`, `${second}^{tree}`);
      git(root, 'replace', second, other);
      return root;
    },
  },
  {
    what: 'a partial clone',
    make: (folder: string): string => {
      const source = plain(folder, 'source');
      git(source, 'config', 'uploadpack.allowFilter', 'true');
      git(source, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
      commitFiles(source, { 'a.txt': 'one\n2\nthree\n' });
      git(folder, 'clone', '-q', '--filter=blob:none', `file://${source}`, 'project');
      return named(join(folder, 'project'));
    },
  },
  {
    what: 'signed commits',
    make: (folder: string): string => {
      const root = plain(folder);
      git(root, 'config', 'gpg.program', fakeSigner(folder));
      git(root, 'config', 'commit.gpgSign', 'true');
      return root;
    },
  },
  { what: 'links that cannot be made', make: withSettings(['core.symlinks', 'false']) },
  {
    what: 'grafts',
    make: (folder: string): string => {
      const root = plain(folder);
      const second = commitFiles(root, { 'later.txt': 'later\n' });
      mkdirSync(dirname(join(root, '.git/info/grafts')), { recursive: true });
      writeFileSync(join(root, '.git/info/grafts'), `${second}\n`);
      return root;
    },
  },
];
