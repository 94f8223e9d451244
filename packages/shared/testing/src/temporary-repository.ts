import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hermeticGitEnvironment, runGit } from './hermetic-git.ts';
import { snapshot, type Snapshot, type SnapshotOptions } from './snapshot.ts';
import { temporaryDirectory, type TemporaryDirectory } from './temporary-directory.ts';

/** File contents by path, relative to the root of the work tree. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface RepositorySetup {
  /** Committed as the first commit, `begin`. Left out: the repository has no commit. */
  readonly files?: Files;
  readonly branch?: string;
  readonly objectFormat?: 'sha1' | 'sha256';
}

export interface StatusEntry {
  /** Git's two letters, `.M`, `A.`, `??`, `!!`, `UU`. */
  readonly state: string;
  readonly path: string;
  /** Of a rename: the path it had. */
  readonly from?: string;
}

export interface WorktreeEntry {
  readonly path: string;
  readonly head: string | null;
  /** Null when detached. */
  readonly branch: string | null;
  readonly locked: boolean;
  readonly prunable: boolean;
}

const CONFIG = `[user]
	name = Ada Author
	email = ada@example.invalid
[gc]
	auto = 0
[maintenance]
	auto = false
`;

/** A real repository in a temporary folder, made anew for one test. */
export async function createRepository({
  files,
  branch = 'main',
  objectFormat = 'sha1',
}: RepositorySetup = {}): Promise<TemporaryRepository> {
  const directory = temporaryDirectory('cleveragents-repository-');
  const repository = new TemporaryRepository(directory.path, directory);
  await repository.git(
    'init',
    '--quiet',
    '--template=',
    `--initial-branch=${branch}`,
    `--object-format=${objectFormat}`,
  );
  await writeFile(join(directory.path, '.git', 'config'), CONFIG, { flag: 'a' });
  if (files !== undefined) await repository.commit('begin', files);
  return repository;
}

/** Speaks to one work tree with the installed git. Every method leaves the index unrefreshed unless its name says otherwise. */
export class TemporaryRepository implements AsyncDisposable {
  /** The real path of the work tree's root. */
  readonly root: string;
  readonly #directory: TemporaryDirectory | undefined;
  #commits = 0;

  /** Of a work tree that is there already, a linked one for instance; {@link createRepository} makes one. */
  constructor(root: string, directory?: TemporaryDirectory) {
    this.root = root;
    this.#directory = directory;
  }

  path(relative: string): string {
    return join(this.root, relative);
  }

  /** Makes the folders on the way. */
  async write(path: string, content: string | Uint8Array, { mode }: { mode?: number } = {}): Promise<void> {
    await mkdir(dirname(this.path(path)), { recursive: true });
    await writeFile(this.path(path), content);
    if (mode !== undefined) await chmod(this.path(path), mode);
  }

  async link(path: string, target: string): Promise<void> {
    await mkdir(dirname(this.path(path)), { recursive: true });
    await symlink(target, this.path(path));
  }

  /** A file, a link, or a folder with all it holds. */
  async remove(path: string): Promise<void> {
    await rm(this.path(path), { recursive: true });
  }

  /** Its standard output, the last line break left out. Rejects with git's standard error. */
  async git(...commandLine: readonly string[]): Promise<string> {
    return (await this.gitBytes(...commandLine)).toString().replace(/\n$/, '');
  }

  async gitBytes(...commandLine: readonly string[]): Promise<Buffer> {
    return await runGit(commandLine, { cwd: this.root, environment: { GIT_OPTIONAL_LOCKS: '0' } });
  }

  /** Writes `files`, adds everything and commits it, empty or not; each commit a minute later than the one before. */
  async commit(message: string, files: Files = {}): Promise<string> {
    for (const [path, content] of Object.entries(files)) await this.write(path, content);
    const date = new Date(Date.UTC(2026, 0, 1, 0, this.#commits)).toISOString();
    this.#commits += 1;
    const run = { cwd: this.root, environment: hermeticGitEnvironment(date) };
    await runGit(['add', '--all'], run);
    await runGit(['commit', '--quiet', '--allow-empty', '--message', message], run);
    return await this.head();
  }

  /** The commit that HEAD names. */
  async head(): Promise<string> {
    return await this.git('rev-parse', 'HEAD');
  }

  /** The branch that HEAD is on; null when detached. */
  async branch(): Promise<string | null> {
    return (await this.git('branch', '--show-current')) || null;
  }

  /** Tracked and untracked, `ignored` on request; sorted by path, and empty when clean. */
  async status({ ignored = false } = {}): Promise<readonly StatusEntry[]> {
    const output = await this.gitBytes(
      'status',
      '--porcelain=v2',
      '-z',
      '--untracked-files=all',
      `--ignored=${ignored ? 'traditional' : 'no'}`,
    );
    return parseStatus(output.toString()).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Rejects with what `git fsck --strict` has to say, if anything. */
  async fsck(): Promise<void> {
    const complaints = await this.git('fsck', '--strict', '--no-dangling', '--no-progress');
    if (complaints !== '') throw new Error(`git fsck: ${complaints}`);
  }

  async worktrees(): Promise<readonly WorktreeEntry[]> {
    return parseWorktrees((await this.gitBytes('worktree', 'list', '--porcelain', '-z')).toString());
  }

  /** Object id by full name, sorted by name. */
  async refs(): Promise<Readonly<Record<string, string>>> {
    const lines = (await this.git('for-each-ref', '--format=%(refname) %(objectname)')).split('\n');
    return Object.fromEntries(
      lines.filter((line) => line !== '').map((line) => line.split(' ') as [string, string]),
    );
  }

  /** Of the whole work tree, and of the git folder if it lies inside; see {@link snapshot}. */
  async snapshot(options?: SnapshotOptions): Promise<Snapshot> {
    return await snapshot(this.root, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#directory?.remove();
  }
}

function parseStatus(output: string): StatusEntry[] {
  const fields = output.split('\0');
  const entries: StatusEntry[] = [];
  for (let field = fields.shift(); field !== undefined; field = fields.shift()) {
    const kind = field.slice(0, 1);
    if (kind === '?' || kind === '!') entries.push({ state: kind + kind, path: field.slice(2) });
    else if (kind === '1') entries.push({ state: field.slice(2, 4), path: afterWords(field, 8) });
    else if (kind === 'u') entries.push({ state: field.slice(2, 4), path: afterWords(field, 10) });
    else if (kind === '2')
      entries.push({ state: field.slice(2, 4), path: afterWords(field, 9), from: fields.shift() ?? '' });
  }
  return entries;
}

function afterWords(field: string, words: number): string {
  return field.split(' ').slice(words).join(' ');
}

function parseWorktrees(output: string): WorktreeEntry[] {
  return output
    .split('\0\0')
    .filter((record) => record !== '')
    .map((record) => {
      const lines = record.split('\0');
      const valueOf = (key: string): string | null =>
        lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1) ?? null;
      const has = (key: string): boolean => lines.some((line) => line === key || line.startsWith(`${key} `));
      return {
        path: valueOf('worktree') ?? '',
        head: valueOf('HEAD'),
        branch: valueOf('branch')?.replace('refs/heads/', '') ?? null,
        locked: has('locked'),
        prunable: has('prunable'),
      };
    });
}
