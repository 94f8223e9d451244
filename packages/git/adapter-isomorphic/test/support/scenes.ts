import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import { git } from '@cleveragents/shared-testing/real-git';
import type { Scene } from './fault-campaigns.ts';
import { pictureOf } from './picture.ts';
import { linkIn, TestRepository, writeIn } from './worktrees.ts';

/** A repository in which a plan has a commit that changes files in every way, and a user has work of his own. */
class Template {
  readonly repository = new TestRepository({
    '.gitignore': '/cache/\n',
    'modify.txt': 'old\n',
    'delete.txt': 'to go\n',
    'untouched.txt': 'as committed\n',
    'staged.txt': 'as committed\n',
    'becomes-file/inner.txt': 'inner\n',
    'becomes-file/deep/most.txt': 'most\n',
    'becomes-directory': 'a file\n',
    'src/deep/only.txt': 'alone\n',
    'script.sh': 'echo\n',
    'link-target.txt': 'target\n',
  });
  readonly base: ObjectId;
  readonly work: ObjectId;

  constructor() {
    linkIn(this.repository.root, 'link', 'link-target.txt');
    linkIn(this.repository.root, 'link-to-file', 'modify.txt');
    this.base = this.repository.commit('links');
    this.repository.git('checkout', '-q', '-b', 'work');
    this.work = this.#commitWork();
    this.repository.git('checkout', '-q', 'main');
    this.#dirty();
  }

  #commitWork(): ObjectId {
    const { repository } = this;
    for (const path of ['delete.txt', 'becomes-file', 'becomes-directory', 'src/deep', 'link-to-file'])
      rmSync(join(repository.root, path), { recursive: true });
    linkIn(repository.root, 'link', 'modify.txt');
    linkIn(repository.root, 'added/link', '../modify.txt');
    repository.write('script.sh', 'echo\n', 0o755);
    return repository.commit('work', {
      'modify.txt': 'new\n',
      'becomes-file': 'a file now\n',
      'becomes-directory/inner.txt': 'below now\n',
      'link-to-file': 'a file now\n',
      'added/new.txt': 'new\n',
      'added/deep/new.txt': 'new\n',
    });
  }

  #dirty(): void {
    const { repository } = this;
    repository.write('untouched.txt', 'edited and not committed\n');
    repository.write('staged.txt', 'staged\n');
    repository.git('add', 'staged.txt');
    repository.write('staged.txt', 'staged, then edited\n');
    repository.write('notes.txt', 'untracked\n');
    repository.write('cache/big.bin', 'ignored\n');
  }
}

/** Made once, copied for each run. */
export class Scenes {
  readonly #template = new Template();

  get base(): ObjectId {
    return this.#template.base;
  }

  get work(): ObjectId {
    return this.#template.work;
  }

  remove(): void {
    this.#template.repository.remove();
  }

  copy(): TestRepository {
    return TestRepository.copyOf(this.#template.repository);
  }

  async update(): Promise<Scene<'update'>> {
    const repository = this.copy();
    const request = {
      branch: 'refs/heads/main',
      from: this.base,
      to: this.work,
      message: 'merge work: Fast-forward',
    };
    return { repository, operation: 'update', request, picture: () => pictureOfAll(repository) };
  }

  async add(): Promise<Scene<'add'>> {
    const repository = this.copy();
    const request = {
      path: join(repository.folder, 'sandbox'),
      branch: 'refs/heads/cleveragents/plan',
      commit: this.base,
      owner: { planId: 'plan', sandboxId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
    };
    return { repository, operation: 'add', request, picture: () => pictureOfAll(repository) };
  }

  async remove_(): Promise<Scene<'remove'>> {
    const { repository, worktree } = await this.#withWorktree();
    const request = {
      path: worktree.workTree,
      gitDirectory: worktree.gitDirectory,
      branch: { name: 'refs/heads/cleveragents/sandbox', expected: this.base },
    };
    return { repository, operation: 'remove', request, picture: () => pictureOfAll(repository) };
  }

  async restore(): Promise<Scene<'restore'>> {
    const { repository, worktree } = await this.#withWorktree();
    writeIn(worktree.workTree, 'modify.txt', 'by the agent\n');
    writeIn(worktree.workTree, 'agent/new.txt', 'by the agent\n');
    writeIn(worktree.workTree, 'cache/kept.txt', 'ignored\n');
    rmSync(join(worktree.workTree, 'src'), { recursive: true });
    git(worktree.workTree, 'add', 'modify.txt');
    const request = { worktree, commit: this.work, branch: 'refs/heads/cleveragents/sandbox' };
    return {
      repository,
      operation: 'restore',
      request,
      picture: () => pictureOfAll(repository, worktree.workTree),
    };
  }

  async #withWorktree(): Promise<{
    repository: TestRepository;
    worktree: { workTree: string; gitDirectory: string; commonDirectory: string };
  }> {
    const repository = this.copy();
    const { path, gitDirectory } = await repository.addWorktree('sandbox', this.base);
    const commonDirectory = join(repository.root, '.git');
    return { repository, worktree: { workTree: path, gitDirectory, commonDirectory } };
  }
}

/** The user's files, what git says of them, and all work trees beside them. */
function pictureOfAll(repository: TestRepository, workTree?: string): unknown {
  const linked =
    workTree === undefined ? '' : git(workTree, '--no-optional-locks', 'status', '--porcelain', '--branch');
  const picture = { files: pictureOf(repository.folder), state: repository.state(), linked };
  return JSON.parse(JSON.stringify(picture).replaceAll(repository.folder, '<folder>'));
}
