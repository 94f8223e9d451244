import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ObjectId, parseObjectId } from '@cleveragents/git-domain';
import type { GitWorld } from '@cleveragents/git-ports/contract';
import { temporaryDirectory } from './temporary-directory.ts';

/** No configuration but the repository's own, and a fixed author. Also what our own code gets as environment. */
export const GIT_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada Author',
  GIT_AUTHOR_EMAIL: 'ada@example.invalid',
  GIT_AUTHOR_DATE: '1700000000 +0100',
  GIT_COMMITTER_NAME: 'Carl Committer',
  GIT_COMMITTER_EMAIL: 'carl@example.invalid',
  GIT_COMMITTER_DATE: '1700000000 +0100',
};

/** A folder of its own, removed when the tests of the file are done. */
export function temporaryFolder(): string {
  return temporaryDirectory('cleveragents-git-').path;
}

/** Sooner than it would be by itself: for tests that make hundreds. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** An empty repository on branch `main`, and the folder around it, in which a test has the rest of its world. */
export function makeProject(): { readonly folder: string; readonly root: string } {
  const folder = temporaryFolder();
  return { folder, root: makeRepository(join(folder, 'project')) };
}

export interface GitOptions {
  readonly input?: string | Uint8Array | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** Real git as it is installed. @throws when it fails. */
export function gitBytes(directory: string, args: readonly string[], options: GitOptions = {}): Buffer {
  return execFileSync('git', args, {
    cwd: directory,
    env: { ...GIT_ENVIRONMENT, ...options.environment },
    input: options.input ?? '',
    stdio: ['pipe', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
  });
}

/** Standard output without the last line end. */
export function git(directory: string, ...args: readonly string[]): string {
  return gitBytes(directory, args).toString().replace(/\n$/, '');
}

export function spawnGit(directory: string, ...args: readonly string[]): ChildProcess {
  return spawn('git', args, { cwd: directory, env: GIT_ENVIRONMENT, stdio: 'ignore' });
}

export function write(root: string, path: string, content: string | Uint8Array): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** An empty repository on branch `main`. */
export function makeRepository(root: string, ...initArguments: readonly string[]): string {
  mkdirSync(root, { recursive: true });
  git(root, 'init', '-q', '-b', 'main', ...initArguments);
  return root;
}

/** Writes the files, stages everything and commits. */
export function commitFiles(
  root: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  message = 'a commit',
): ObjectId {
  for (const [path, content] of Object.entries(files)) write(root, path, content);
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '--allow-empty', '-m', message);
  return revision(root, 'HEAD');
}

export function revision(root: string, name: string): ObjectId {
  return parseObjectId(git(root, 'rev-parse', '--verify', name));
}

/** Git's own opinion of the object store and the refs. */
export function fsck(root: string): string {
  return git(root, 'fsck', '--strict', '--no-dangling');
}

/** What the contract of a worktree host asks for: an empty repository, and a folder beside it. */
export function makeGitWorld(): GitWorld {
  const top = temporaryFolder();
  const root = makeRepository(join(top, 'original'));
  const folder = join(top, 'beside');
  mkdirSync(folder);
  return {
    root,
    folder,
    git: async (...args) => git(root, ...args),
    gitIn: async (directory, ...args) => git(directory, ...args),
    write: async (path, content) => {
      write(root, path, content);
    },
    writeIn: async (directory, path, content) => {
      write(directory, path, content);
    },
  };
}
