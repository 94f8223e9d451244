import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseObjectId, type ObjectId } from '@cleveragents/git-domain';
import type { LinkedWorktree } from '@cleveragents/git-ports';
import { git, GIT_ENVIRONMENT, removeFolder, temporaryFolder } from '@cleveragents/shared-testing/real-git';
import { addWorktree } from '../../src/isomorphic-operations.ts';
import { openLinkedWorktree } from '../../src/isomorphic-linked-worktree.ts';
import { findRepository } from '../../src/repository-layout.ts';
import { openRepository, type Repository } from '../../src/repository.ts';

/** A repository made by real git, opened by us, and a place for worktrees beside it. */
export class TestRepository {
  readonly folder = temporaryFolder();
  readonly root = join(this.folder, 'original');
  #worktrees = 0;

  /** @param files of its first commit. */
  constructor(files: Readonly<Record<string, string>> = {}) {
    cpSync(templateOf(files), this.root, COPY);
  }

  /** With all that lies there, committed or not. */
  static copyOf(other: TestRepository): TestRepository {
    const copy = new TestRepository();
    rmSync(copy.root, { recursive: true });
    cpSync(other.root, copy.root, COPY);
    return copy;
  }

  open(timeoutMs?: number): Promise<Repository> {
    return openAt(this.root, timeoutMs);
  }

  git(...args: readonly string[]): string {
    return git(this.root, ...args);
  }

  write(path: string, content: string | Uint8Array, mode?: number): void {
    writeIn(this.root, path, content, mode);
  }

  commit(message: string, files: Readonly<Record<string, string>> = {}): ObjectId {
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', message);
    return this.head();
  }

  head(): ObjectId {
    return parseObjectId(this.git('rev-parse', 'HEAD'));
  }

  treeOf(commit: string): ObjectId {
    return parseObjectId(this.git('rev-parse', `${commit}^{tree}`));
  }

  /** A linked worktree on a new branch at HEAD. */
  async addWorktree(name = `sandbox-${++this.#worktrees}`, commit = this.head()): Promise<LinkedWorktree> {
    const repository = await this.open();
    const layout = await addWorktree(repository, {
      path: join(this.folder, name),
      branch: `refs/heads/cleveragents/${name}`,
      commit,
      owner: { planId: name, sandboxId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
    });
    return await openLinkedWorktree(repository, layout);
  }

  /** All that a user would look at, as git says it. */
  state(): Readonly<Record<string, string>> {
    return {
      status: this.git(
        '--no-optional-locks',
        'status',
        '--porcelain=v2',
        '--untracked-files=all',
        '--ignored',
        '--branch',
      ),
      refs: this.git('for-each-ref'),
      worktrees: this.git('worktree', 'list', '--porcelain'),
      head: this.git('symbolic-ref', 'HEAD'),
      index: this.git('ls-files', '--stage', '-v'),
    };
  }

  fsck(): string {
    return this.git('fsck', '--strict', '--no-dangling', '--no-progress');
  }

  remove(): void {
    removeFolder(this.folder);
  }
}

const COPY = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };
const templates = new Map<string, string>();

/** Real git takes ten times as long to make a repository as the system to copy it. */
function templateOf(files: Readonly<Record<string, string>>): string {
  const key = JSON.stringify(files);
  const known = templates.get(key);
  if (known !== undefined) return known;
  const folder = temporaryFolder();
  templates.set(key, folder);
  git(folder, 'init', '-q', '-b', 'main', '--template=');
  git(folder, 'config', 'gc.auto', '0');
  for (const [path, content] of Object.entries(files)) writeIn(folder, path, content);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'begin');
  return folder;
}

export async function openAt(root: string, timeoutMs?: number): Promise<Repository> {
  const layout = await findRepository(root);
  if (layout === null) throw new Error(`no repository at ${root}`);
  return await openRepository(layout, { environment: GIT_ENVIRONMENT, timeoutMs });
}

export function writeIn(root: string, path: string, content: string | Uint8Array, mode?: number): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  if (mode !== undefined) chmodSync(join(root, path), mode);
}

export function linkIn(root: string, path: string, target: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  rmSync(join(root, path), { force: true });
  symlinkSync(target, join(root, path));
}
