import { appendFileSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { IsomorphicEngine } from '@cleveragents/git-adapter-isomorphic';
import { NativeGitEngine } from '@cleveragents/git-adapter-native';
import { GitWorktreeSandbox } from '@cleveragents/sandbox-adapter-git-worktree';
import type { Meter } from '../meter.ts';
import type { RepositoryName } from '../repositories.ts';
import type { BenchContext, BenchRow, RowFile } from '../row.ts';

const BRANCH = 'bench';
const CHANGED_FILES = 10;

/** How a contender is called, and what it works with. What git does for the native engine costs CPU that nobody counts. */
const ENGINES = [
  { suffix: '', Engine: IsomorphicEngine, isPeer: {} },
  { suffix: ', native engine', Engine: NativeGitEngine, isPeer: { peer: true } },
] as const;
type Engine = (typeof ENGINES)[number]['Engine'];

/** Until an agent can begin: the worktree, and the first thing it asks. */
export const sandboxCreation: RowFile = {
  number: 1,
  make: (context) => [creation(context, 'r10k', 0.75), creation(context, 'real', 0.6)],
};

/** Ten changed files, from the worktree into the branch that the user is on. */
export const sandboxCommit: RowFile = { number: 5, make: (context) => [commit(context)] };

export const sandboxCleanup: RowFile = { number: 6, make: (context) => [cleanup(context)] };

/** One repository, and the two ways to have a worktree of it. */
class Worktrees {
  readonly repository: string;
  readonly #context: BenchContext;
  readonly #folder: string;
  readonly #head: string;
  #sandbox: GitWorktreeSandbox | undefined;

  constructor(context: BenchContext, name: RepositoryName) {
    this.#context = context;
    this.repository = context.repository(name);
    this.#folder = context.folder('worktrees');
    this.#head = this.git('rev-parse', 'HEAD');
  }

  get plain(): string {
    return join(this.#folder, 'plain');
  }

  get sandbox(): GitWorktreeSandbox {
    if (this.#sandbox === undefined) throw new Error('no sandbox was set up');
    return this.#sandbox;
  }

  git(...args: readonly string[]): string {
    return this.gitIn(this.repository, ...args);
  }

  gitIn(cwd: string, ...args: readonly string[]): string {
    return execFileSync('git', args, { cwd, env: this.#context.environment, encoding: 'utf8' }).trim();
  }

  /** A new one each time: engines remember nothing between two lives of a sandbox. */
  setUpSandbox(Engine: Engine): GitWorktreeSandbox {
    this.#sandbox = new GitWorktreeSandbox({
      resourceId: 'bench',
      originalPath: this.repository,
      sandboxFolder: this.#folder,
      gitTimeout: 300,
      engine: new Engine({ environment: this.#context.environment }),
    });
    return this.#sandbox;
  }

  get sandboxPath(): string {
    return this.sandbox.context?.sandboxPath ?? '';
  }

  addPlain(): void {
    this.git('worktree', 'add', '--quiet', '-b', BRANCH, this.plain);
    this.gitIn(this.plain, 'status');
  }

  removePlain(): void {
    if (existsSync(this.plain)) this.git('worktree', 'remove', '--force', this.plain);
    if (this.git('branch', '--list', BRANCH) !== '') this.git('branch', '--quiet', '-D', BRANCH);
  }

  async removeSandbox(): Promise<void> {
    await this.sandbox.cleanup();
    for (const ref of this.git('for-each-ref', '--format=%(refname)', 'refs/cleveragents').split('\n'))
      if (ref !== '') this.git('update-ref', '-d', ref);
  }

  /** Back to the first commit, so that every round begins alike. */
  reset(): void {
    this.git('reset', '--quiet', '--hard', this.#head);
    this.git('status');
  }

  /** Appends a line to ten small files that lie far apart. */
  edit(root: string): void {
    const files = this.git('ls-files', '-z')
      .split('\0')
      .filter((path) => path !== '' && path !== '.gitignore');
    const step = Math.floor(files.length / CHANGED_FILES);
    for (let index = 0; index < CHANGED_FILES; index++)
      appendFileSync(join(root, files[index * step] ?? ''), '// edited\n');
  }

  expectCommitted(): void {
    const changed = this.git('diff', '--name-only', this.#head, 'HEAD').split('\n').length;
    const status = this.git('status', '--porcelain');
    if (changed !== CHANGED_FILES || status !== '')
      throw new Error(`${changed} files were committed; status: ${status}`);
  }
}

function creation(context: BenchContext, name: RepositoryName, atMost: number): BenchRow {
  const trees = new Worktrees(context, name);
  const { environment: env } = context;
  const expectClean = (path: string): void => {
    const status = trees.gitIn(path, 'status', '--porcelain');
    if (status !== '' || readdirSync(path).length < 2) throw new Error(`not a clean worktree: ${status}`);
  };
  return {
    number: sandboxCreation.number,
    title: `create, then the first git status: ${name}`,
    goal: { metric: 'wall', atMost },
    contenders: [
      {
        name: 'git worktree add + git status',
        baseline: true,
        run: (meter) => {
          meter.command(['git', 'worktree', 'add', '--quiet', '-b', BRANCH, trees.plain], {
            cwd: trees.repository,
            env,
          });
          meter.command(['git', 'status'], { cwd: trees.plain, env });
        },
        verify: () => expectClean(trees.plain),
        cleanup: () => trees.removePlain(),
      },
      ...ENGINES.map(({ suffix, Engine, isPeer }) => ({
        ...isPeer,
        name: `create() + git status${suffix}`,
        prepare: () => void trees.setUpSandbox(Engine),
        run: async (meter: Meter) => {
          await trees.sandbox.create('bench');
          meter.command(['git', 'status'], { cwd: trees.sandboxPath, env });
        },
        verify: () => expectClean(trees.sandboxPath),
        cleanup: () => trees.removeSandbox(),
      })),
    ],
  };
}

function commit(context: BenchContext): BenchRow {
  const trees = new Worktrees(context, 'r10k');
  const { environment: env } = context;
  return {
    number: sandboxCommit.number,
    title: `commit and merge ${CHANGED_FILES} changed files: r10k`,
    goal: { metric: 'wall', atMost: 1 },
    contenders: [
      {
        name: 'git add -A, commit, merge',
        baseline: true,
        prepare: () => {
          trees.addPlain();
          trees.edit(trees.plain);
        },
        run: (meter) => {
          meter.command(['git', 'add', '--all'], { cwd: trees.plain, env });
          meter.command(['git', 'commit', '--quiet', '--message=bench'], { cwd: trees.plain, env });
          meter.command(['git', 'merge', '--quiet', BRANCH], { cwd: trees.repository, env });
        },
        verify: () => trees.expectCommitted(),
        cleanup: () => {
          trees.removePlain();
          trees.reset();
        },
      },
      ...ENGINES.map(({ suffix, Engine, isPeer }) => ({
        ...isPeer,
        name: `commit()${suffix}`,
        prepare: async () => {
          await trees.setUpSandbox(Engine).create('bench');
          trees.edit(trees.sandboxPath);
        },
        run: async () => {
          await trees.sandbox.commit('bench');
        },
        verify: () => trees.expectCommitted(),
        cleanup: async () => {
          await trees.removeSandbox();
          trees.reset();
        },
      })),
    ],
  };
}

function cleanup(context: BenchContext): BenchRow {
  const trees = new Worktrees(context, 'r10k');
  const { environment: env } = context;
  const expectGone = (path: string): void => {
    const branches = trees.git('branch', '--list', BRANCH, 'cleveragents/*');
    if (statSync(path, { throwIfNoEntry: false }) !== undefined || branches !== '')
      throw new Error(`left: ${branches}`);
  };
  let path = '';
  return {
    number: sandboxCleanup.number,
    title: 'clean up: r10k',
    goal: { metric: 'wall', atMost: 1 },
    contenders: [
      {
        name: 'git worktree remove + branch -D',
        baseline: true,
        prepare: () => trees.addPlain(),
        run: (meter) => {
          meter.command(['git', 'worktree', 'remove', trees.plain], { cwd: trees.repository, env });
          meter.command(['git', 'branch', '--quiet', '-D', BRANCH], { cwd: trees.repository, env });
        },
        verify: () => expectGone(trees.plain),
        cleanup: () => trees.removePlain(),
      },
      ...ENGINES.map(({ suffix, Engine, isPeer }) => ({
        ...isPeer,
        name: `cleanup()${suffix}`,
        prepare: async () => {
          path = (await trees.setUpSandbox(Engine).create('bench')).sandboxPath;
        },
        run: async () => {
          await trees.sandbox.cleanup();
        },
        verify: () => expectGone(path),
        cleanup: () => trees.removeSandbox(),
      })),
    ],
  };
}
