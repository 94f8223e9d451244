import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryName } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import type { Git, GitCall, GitPlace } from './git.ts';
import { nulRecords } from './nul-records.ts';
import { type Deadline, fileSystemError, type WorktreeLayout } from './shared-parts.ts';

/** An index file of our own, beside the one of the work tree, which stays as it is. Git converts it to the form it likes. */
export class PrivateIndex {
  readonly #git: Git;
  readonly #place: GitPlace;
  readonly #deadline: Deadline;

  constructor(git: Git, place: GitPlace & { readonly indexFile: string }, deadline: Deadline) {
    this.#git = git;
    this.#place = place;
    this.#deadline = deadline;
  }

  get file(): string {
    return this.#place.indexFile as string;
  }

  /** Runs git on it. */
  run(args: readonly string[], more: Partial<GitCall> = {}): Promise<Buffer> {
    return this.#git.output({ place: this.#place, args, deadline: this.#deadline, ...more });
  }

  async records(args: readonly string[], more: Partial<GitCall> = {}): Promise<readonly string[]> {
    return nulRecords(await this.run(args, more));
  }

  bytes(): Buffer {
    return readFileSync(this.file);
  }
}

/** Gives `work` a copy of the work tree's index, or an empty one, and removes it afterwards. */
export async function withPrivateIndex<Result>(
  git: Git,
  layout: WorktreeLayout,
  { from, deadline }: { readonly from: 'index' | 'nothing'; readonly deadline: Deadline },
  work: (index: PrivateIndex) => Promise<Result>,
): Promise<Result> {
  const indexFile = join(layout.gitDirectory, temporaryName());
  try {
    if (from === 'index') copyIndex(join(layout.gitDirectory, 'index'), indexFile);
    const { gitDirectory, workTree } = layout;
    return await work(new PrivateIndex(git, { gitDirectory, workTree, indexFile }, deadline));
  } catch (error) {
    throw fileSystemError(`cannot write ${indexFile}`, error);
  } finally {
    rmSync(indexFile, { force: true });
    rmSync(`${indexFile}.lock`, { force: true });
  }
}

/** With its time, by which git knows which of its entries are in doubt. */
function copyIndex(from: string, to: string): void {
  try {
    mkdirSync(join(to, '..'), { recursive: true });
    const { mtimeMs } = statSync(from);
    copyFileSync(from, to);
    const seconds = Math.floor(mtimeMs / 1000);
    utimesSync(to, seconds, seconds);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
