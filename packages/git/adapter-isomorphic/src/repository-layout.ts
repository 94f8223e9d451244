import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { configBoolean, type ConfigEntry, GitFormatError, parseGitConfig } from '@cleveragents/git-domain';
import { GitError } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { damagedConfig } from './damaged-config.ts';
import { fileSystemError, readTextIfThere, statIfThere } from './file-access.ts';

/** Where a repository's parts lie. All paths absolute, links resolved. */
export interface RepositoryLayout {
  /** Root of the work tree; null when there is none: bare, or found from inside the git folder. */
  readonly workTree: string | null;
  /** The work tree's own git folder. */
  readonly gitDirectory: string;
  /** The folder that all work trees share; the same as `gitDirectory` unless the work tree is a linked one. */
  readonly commonDirectory: string;
}

/**
 * The repository that `directory` lies in, found as git finds it, but for the GIT_* variables. Null when there is none.
 *
 * @throws GitError `GIT_WORKTREE_BROKEN` for a `.git` file that leads nowhere: git stops there too, it does not climb on.
 */
export function findRepository(directory: string): Promise<RepositoryLayout | null> {
  return Promise.resolve().then(() => climb(directory));
}

function climb(directory: string): RepositoryLayout | null {
  const start = realpathIfThere(directory);
  if (start === null || !statSync(start).isDirectory()) return null;
  const device = statSync(start).dev;
  for (let current = start; ; current = dirname(current)) {
    const gitDirectory = gitDirectoryOf(current);
    if (gitDirectory !== null) return layoutOf(current, gitDirectory);
    const commonDirectory = commonDirectoryOf(current);
    if (commonDirectory !== null) return { workTree: null, gitDirectory: current, commonDirectory };
    const parent = dirname(current);
    // as git without GIT_DISCOVERY_ACROSS_FILESYSTEM
    if (parent === current || statSync(parent).dev !== device) return null;
  }
}

/** What `.git` in the directory leads to; null when the directory is no root of a work tree. */
function gitDirectoryOf(directory: string): string | null {
  const dotGit = join(directory, '.git');
  const found = statIfThere(dotGit);
  if (found?.isDirectory()) return commonDirectoryOf(dotGit) === null ? null : realpathSync(dotGit);
  if (!found?.isFile()) return null;
  const target = /^gitdir: ([^]+?)[\r\n]*$/.exec(readTextIfThere(dotGit) ?? '')?.[1];
  const gitDirectory = target === undefined ? null : realpathIfThere(resolve(directory, target));
  if (gitDirectory === null || commonDirectoryOf(gitDirectory) === null) throw broken(dotGit, target);
  return gitDirectory;
}

function broken(dotGit: string, target: string | undefined): GitError {
  const fault = target === undefined ? 'is no valid pointer' : `points to ${target}, which is no repository`;
  return new GitError('GIT_WORKTREE_BROKEN', `${dotGit} ${fault}`, {
    hint: 'Repair it with `git worktree repair`, or remove the file.',
    data: { path: dotGit, target: target ?? null },
  });
}

function layoutOf(directory: string, gitDirectory: string): RepositoryLayout {
  const commonDirectory = commonDirectoryOf(gitDirectory) ?? gitDirectory;
  // git reads neither value for a linked work tree
  const settings = commonDirectory === gitDirectory ? readSettings(gitDirectory) : {};
  const root = settings.workTree === undefined ? directory : resolve(gitDirectory, settings.workTree);
  const workTree = settings.bare === true ? null : realpathIfThere(root);
  return { workTree, gitDirectory, commonDirectory };
}

/** Root of the main work tree, asked from another one; null when the repository is bare, or nothing tells. */
export function findMainWorkTree(commonDirectory: string): string | null {
  const { bare, workTree } = readSettings(commonDirectory);
  if (bare === true) return null;
  if (workTree !== undefined) return realpathIfThere(resolve(commonDirectory, workTree));
  return basename(commonDirectory) === '.git' ? dirname(commonDirectory) : null;
}

/** The folder with the shared parts if `directory` is what git takes for a git folder, else null. */
function commonDirectoryOf(directory: string): string | null {
  if (!hasValidHead(directory)) return null;
  const pointer = readTextIfThere(join(directory, 'commondir'))?.replace(/[\r\n]+$/, '');
  const common = realpathIfThere(pointer === undefined ? directory : resolve(directory, pointer));
  if (common === null || !statIfThere(join(common, 'objects'))?.isDirectory()) return null;
  return statIfThere(join(common, 'refs'))?.isDirectory() ? common : null;
}

function hasValidHead(directory: string): boolean {
  const head = join(directory, 'HEAD');
  const found = lstatSync(head, { throwIfNoEntry: false });
  // long ago HEAD was a link; on a branch without commits it leads to nothing
  if (found?.isSymbolicLink()) return readlinkSync(head).startsWith('refs/');
  return found?.isFile() === true && /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(readTextIfThere(head) ?? '');
}

interface SetupSettings {
  readonly bare?: boolean;
  readonly workTree?: string;
}

/** The two values that decide where the work tree is, from the files in which git looks for them. */
function readSettings(gitDirectory: string): SetupSettings {
  const shared = entriesOf(join(gitDirectory, 'config'));
  const separate = shared.some(
    (entry) => entry.name === 'extensions.worktreeconfig' && booleanOf(entry.value),
  );
  const entries = separate ? [...shared, ...entriesOf(join(gitDirectory, 'config.worktree'))] : shared;
  const bare = entries.findLast((entry) => entry.name === 'core.bare');
  const workTree = entries.findLast((entry) => entry.name === 'core.worktree')?.value;
  return {
    ...(bare && { bare: booleanOf(bare.value) }),
    ...(typeof workTree === 'string' && { workTree }),
  };
}

function entriesOf(path: string): readonly ConfigEntry[] {
  try {
    return parseGitConfig(readTextIfThere(path) ?? '');
  } catch (cause) {
    throw cause instanceof GitFormatError ? damagedConfig(path, cause) : cause;
  }
}

function booleanOf(value: string | null): boolean {
  try {
    return configBoolean(value);
  } catch (error) {
    if (hasCode(error, 'GIT_CONFIG_VALUE_INVALID')) return false;
    throw error;
  }
}

function realpathIfThere(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw fileSystemError(`cannot resolve ${path}`, error);
  }
}

/** Git's own table (path.c, `common_list`): which names all work trees share. The longest match wins; others are private. */
const SHARED: readonly (readonly [name: string, shared: boolean])[] = [
  ['branches', true],
  ['common', true],
  ['config', true],
  ['gc.pid', true],
  ['hooks', true],
  ['info', true],
  ['info/sparse-checkout', false],
  ['logs', true],
  ['logs/HEAD', false],
  ['logs/refs/bisect', false],
  ['logs/refs/rewritten', false],
  ['logs/refs/worktree', false],
  ['lost-found', true],
  ['objects', true],
  ['packed-refs', true],
  ['refs', true],
  ['refs/bisect', false],
  ['refs/rewritten', false],
  ['refs/worktree', false],
  ['remotes', true],
  ['rr-cache', true],
  ['shallow', true],
  ['svn', true],
  ['worktrees', true],
];

/** The file of a git folder by its relative name (`HEAD`, `logs/refs/heads/x`), private or shared as git's layout has it. */
export function gitPath(
  layout: Pick<RepositoryLayout, 'gitDirectory' | 'commonDirectory'>,
  relative: string,
): string {
  return join(isShared(relative) ? layout.commonDirectory : layout.gitDirectory, relative);
}

function isShared(relative: string): boolean {
  const name = relative.replace(/\.lock$/, '');
  const matches = SHARED.filter(([prefix]) => name === prefix || name.startsWith(`${prefix}/`));
  return matches.reduce((best, match) => (match[0].length > best[0].length ? match : best), [
    '',
    false,
  ] as const)[1];
}
