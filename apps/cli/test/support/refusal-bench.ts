import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import {
  createRepository,
  expectUnchanged,
  hermeticGitEnvironment,
  temporaryDirectory,
  type TemporaryDirectory,
  type TemporaryRepository,
} from '@cleveragents/shared-testing';

/** What a refused command must say. */
export interface Refusal {
  readonly exitCode: number;
  readonly code: string;
  /** Part of the message: what happened, and to what. */
  readonly words: string | RegExp;
}

interface Ended {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

const FILES = {
  'README.md': 'read me\n',
  'src/main.ts': 'export const main = 1;\n',
  'src/other.ts': 'export const other = 1;\n',
  '.gitignore': '*.log\n',
};

/** A real repository, and the app as a process that is told to work on it. */
export class RefusalBench {
  readonly repository: TemporaryRepository;
  /** What `--project` names; the repository's root unless it is set. */
  project: string;
  /** What the comparison does not look at, relative to the repository. */
  readonly leaveOut: string[] = ['.git/cleveragents'];
  readonly #cli: readonly string[];
  readonly #home: TemporaryDirectory = temporaryDirectory();
  readonly #environment: Record<string, string> = {};

  constructor(cli: readonly string[], repository: TemporaryRepository) {
    this.#cli = cli;
    this.repository = repository;
    this.project = repository.root;
  }

  static async open(cli: readonly string[], files: Record<string, string> = FILES): Promise<RefusalBench> {
    return new RefusalBench(cli, await createRepository({ files }));
  }

  /** Sets a variable for every later command. */
  set(name: string, value: string): void {
    this.#environment[name] = value;
  }

  /** Runs the app on the project; what comes after `--` is a command of its own. */
  run(words: readonly string[], ...options: readonly string[]): Ended {
    const { node, args, env } = this.#call(words, options);
    const { status, stdout, stderr } = spawnSync(node, args, { env, encoding: 'utf8' });
    return { status, output: stdout, errors: stderr };
  }

  /** Starts a command that prints once it is on its way, and ends when its input does. */
  async start(words: readonly string[]): Promise<{ readonly end: () => Promise<void> }> {
    const { node, args, env } = this.#call(words, []);
    const child = spawn(node, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const closed = once(child, 'close');
    await once(child.stdout, 'data');
    return {
      end: async () => {
        child.stdin.end();
        await closed;
      },
    };
  }

  #call(
    words: readonly string[],
    options: readonly string[],
  ): { readonly node: string; readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv } {
    const [node = '', ...script] = this.#cli;
    const end = words.includes('--') ? words.indexOf('--') : words.length;
    return {
      node,
      args: [...script, ...words.slice(0, end), ...options, '--project', this.project, ...words.slice(end)],
      env: {
        ...hermeticGitEnvironment(),
        // another engine would take over what this one refuses
        CLEVERAGENTS_GIT_ENGINE: 'isomorphic',
        NODE_OPTIONS: '',
        HOME: this.#home.path,
        XDG_STATE_HOME: this.#home.path,
        ...this.#environment,
      },
    };
  }

  /** The app on the project, which must do as it is told. */
  succeed(...words: readonly string[]): string {
    const { status, output, errors } = this.run(words);
    expect({ words, status, errors }).toEqual({ words, status: 0, errors: expect.any(String) });
    return output;
  }

  /** A plan with a sandbox, whose files `edit` may change. Returns the sandbox's root. */
  plan(planId: string, files: Record<string, string | null> = {}): string {
    const created = JSON.parse(this.succeed('plan', 'create', planId, '--json')) as {
      plan: { sandbox: { context: { sandboxPath: string } } };
    };
    const { sandboxPath } = created.plan.sandbox.context;
    for (const [path, content] of Object.entries(files)) {
      const target = join(sandboxPath, path);
      if (content === null) rmSync(target, { recursive: true });
      else {
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, content);
      }
    }
    return sandboxPath;
  }

  /** A file of the project, and the folders above it. */
  write(path: string, content: string): void {
    mkdirSync(dirname(this.repository.path(path)), { recursive: true });
    writeFileSync(this.repository.path(path), content);
  }

  /** Two branches that change the same line, and a command of git's that stops at it. */
  async stopInTheMiddleOf(...command: readonly string[]): Promise<void> {
    const { repository } = this;
    await repository.git('checkout', '--quiet', '-b', 'side');
    await repository.commit('side', { 'src/main.ts': 'side\n' });
    await repository.git('checkout', '--quiet', 'main');
    await repository.commit('main', { 'src/main.ts': 'main\n' });
    await repository.git(...command).catch(() => undefined);
  }

  /** Runs a command that must be refused, and holds every byte against what it was. */
  async expectRefused(words: readonly string[], refusal: Refusal): Promise<void> {
    const before = await this.#snapshot();
    const { status, output } = this.run(words, '--json');
    const { error, exitCode } = JSON.parse(output) as {
      error: { code: string; message: string; hint: string | null };
      exitCode: number;
    };
    expect([status, exitCode, error.code]).toEqual([refusal.exitCode, refusal.exitCode, refusal.code]);
    expect(error.message).toMatch(refusal.words);
    // what is wrong with the words of a command is all that there is to say
    if (exitCode !== 2) expect(error.hint).toMatch(/\w/);
    expectUnchanged(before, await this.#snapshot());
  }

  /** The same as people read it, off a terminal: all of it on standard error. */
  expectTold(words: readonly string[], { exitCode, words: message }: Refusal): void {
    const { status, output, errors } = this.run(words);
    expect([status, output]).toEqual([exitCode, '']);
    expect(errors).toMatch(/^error: (?:.+\n)+hint: {2}.+\n/);
    expect(errors).toMatch(message);
  }

  async close(): Promise<void> {
    await this.repository[Symbol.asyncDispose]();
    await this.#home.remove();
  }

  /** Our own notes change: that the plan was refused is part of its history. */
  async #snapshot(): ReturnType<TemporaryRepository['snapshot']> {
    const worktrees = join(this.repository.root, '.git/worktrees');
    const notes = (existsSync(worktrees) ? readdirSync(worktrees) : []).map(
      (name) => `.git/worktrees/${name}/cleveragents-stat-cache.json`,
    );
    return this.repository.snapshot({ leaveOut: [...this.leaveOut, ...notes], allowNewObjects: true });
  }
}

/** A way to be refused: what it is, how it comes about, and what is said then. */
export type RefusalCase = readonly [what: string, arrange: () => unknown, refusal: Refusal];

export const refused = (code: string, words: string | RegExp): Refusal => ({ exitCode: 3, code, words });
