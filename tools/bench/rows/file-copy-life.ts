import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FileCopySandbox } from '@cleveragents/sandbox-adapter-fs';
import type { BenchContext, BenchRow, RowFile } from '../row.ts';

const CHANGED_FILES = 10;

/** The same lives as those of a worktree, for a folder that is no repository. */
export const copyCreation: RowFile = { number: 1, make: (context) => [creation(context)] };

export const copyCommit: RowFile = { number: 5, make: (context) => [commit(context)] };

export const copyCleanup: RowFile = { number: 6, make: (context) => [cleanup(context)] };

/** One folder of files, and the two ways to have a copy of it. */
class Copies {
  readonly project: string;
  readonly pristine: string;
  readonly #folder: string;
  #sandbox: FileCopySandbox | undefined;

  constructor(context: BenchContext) {
    this.#folder = context.folder('copies');
    this.project = join(this.#folder, 'project');
    this.pristine = join(this.#folder, 'pristine');
    const repository = context.repository('r10k');
    execFileSync('cp', ['-a', repository, this.project]);
    rmSync(join(this.project, '.git'), { recursive: true });
    execFileSync('cp', ['-a', this.project, this.pristine]);
  }

  get plain(): string {
    return join(this.#folder, 'plain');
  }

  get sandbox(): FileCopySandbox {
    if (this.#sandbox === undefined) throw new Error('no sandbox was set up');
    return this.#sandbox;
  }

  get sandboxPath(): string {
    return this.sandbox.context?.sandboxPath ?? '';
  }

  setUpSandbox(): FileCopySandbox {
    this.#sandbox = new FileCopySandbox({
      resourceId: 'bench',
      originalPath: this.project,
      sandboxFolder: join(this.#folder, 'sandboxes'),
      stateFolder: join(this.#folder, 'state'),
    });
    return this.#sandbox;
  }

  addPlain(): void {
    execFileSync('cp', ['-r', this.project, this.plain]);
  }

  removePlain(): void {
    rmSync(this.plain, { recursive: true, force: true });
  }

  async removeSandbox(): Promise<void> {
    await this.sandbox.cleanup();
    rmSync(join(this.#folder, 'state'), { recursive: true });
  }

  /** Appends a line to ten files that lie far apart. */
  edit(root: string): void {
    for (const path of this.#someFiles()) appendFileSync(join(root, path), '// edited\n');
  }

  /** The project as it was. */
  reset(): void {
    for (const path of this.#someFiles()) copyFileSync(join(this.pristine, path), join(this.project, path));
  }

  expectCommitted(): void {
    const changed = this.#someFiles().filter((path) =>
      readFileSync(join(this.project, path), 'latin1').endsWith('// edited\n'),
    );
    if (changed.length !== CHANGED_FILES) throw new Error(`${changed.length} files were committed`);
  }

  expectWhole(path: string): void {
    execFileSync('diff', ['-rq', this.pristine, path]);
  }

  #someFiles(): readonly string[] {
    const files = readdirSync(this.pristine, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.pristine.length + 1))
      .sort();
    const step = Math.floor(files.length / CHANGED_FILES);
    return Array.from({ length: CHANGED_FILES }, (_, index) => files[index * step] ?? '');
  }
}

function creation(context: BenchContext): BenchRow {
  const copies = new Copies(context);
  return {
    number: copyCreation.number,
    title: 'create a file copy: r10k without git',
    goal: { metric: 'wall', atMost: 1.5 },
    contenders: [
      {
        name: 'cp -r',
        baseline: true,
        run: (meter) => {
          meter.command(['cp', '-r', copies.project, copies.plain], { cwd: copies.project });
        },
        verify: () => copies.expectWhole(copies.plain),
        cleanup: () => copies.removePlain(),
      },
      {
        name: 'create()',
        prepare: () => void copies.setUpSandbox(),
        run: async () => {
          await copies.sandbox.create('bench');
        },
        verify: () => copies.expectWhole(copies.sandboxPath),
        cleanup: () => copies.removeSandbox(),
      },
    ],
  };
}

function commit(context: BenchContext): BenchRow {
  const copies = new Copies(context);
  return {
    number: copyCommit.number,
    title: `take ${CHANGED_FILES} changed files back from a file copy: r10k without git`,
    goal: { metric: 'wall', atMost: 1 },
    contenders: [
      {
        name: 'cp -r',
        baseline: true,
        prepare: () => {
          copies.addPlain();
          copies.edit(copies.plain);
        },
        run: (meter) => {
          meter.command(['cp', '-r', `${copies.plain}/.`, copies.project], { cwd: copies.project });
        },
        verify: () => copies.expectCommitted(),
        cleanup: () => {
          copies.removePlain();
          copies.reset();
        },
      },
      {
        name: 'commit()',
        prepare: async () => {
          await copies.setUpSandbox().create('bench');
          copies.edit(copies.sandboxPath);
        },
        run: async () => {
          await copies.sandbox.commit('bench');
        },
        verify: () => copies.expectCommitted(),
        cleanup: async () => {
          await copies.removeSandbox();
          copies.reset();
        },
      },
    ],
  };
}

function cleanup(context: BenchContext): BenchRow {
  const copies = new Copies(context);
  let path = '';
  const expectGone = (gone: string): void => {
    if (existsSync(gone)) throw new Error(`${gone} is still there`);
  };
  return {
    number: copyCleanup.number,
    title: 'clean up a file copy: r10k without git',
    goal: { metric: 'wall', atMost: 1.5 },
    contenders: [
      {
        name: 'rm -rf',
        baseline: true,
        prepare: () => copies.addPlain(),
        run: (meter) => {
          meter.command(['rm', '-rf', copies.plain], { cwd: copies.project });
        },
        verify: () => expectGone(copies.plain),
      },
      {
        name: 'cleanup()',
        prepare: async () => {
          path = (await copies.setUpSandbox().create('bench')).sandboxPath;
        },
        run: async () => {
          await copies.sandbox.cleanup();
        },
        verify: () => expectGone(path),
      },
    ],
  };
}
