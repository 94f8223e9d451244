import { linkSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncDirectory } from '@cleveragents/shared-adapter-fs';
import { lstatIfThere } from './steady-file.ts';

/** An index file whose lock is held, replaced in a way that can be taken back also on a full disk. */
export class UndoableIndex {
  readonly #path: string;
  readonly #former: string;
  readonly #next: string;
  #isReplaced = false;

  /** @param folder private, on the file system of the git folder. */
  constructor(gitDirectory: string, folder: string) {
    this.#path = join(gitDirectory, 'index');
    this.#former = join(folder, 'index-before');
    this.#next = join(folder, 'index-after');
  }

  /** Durable on return; nothing is replaced yet. */
  prepare(bytes: Uint8Array): void {
    writeFileSync(this.#next, bytes, { flush: true });
    if (lstatIfThere(this.#path) !== null) linkSync(this.#path, this.#former);
  }

  async replace(): Promise<void> {
    renameSync(this.#next, this.#path);
    this.#isReplaced = true;
    await syncDirectory(dirname(this.#path));
  }

  /** Fine when nothing was replaced. */
  async restore(): Promise<void> {
    if (!this.#isReplaced) return;
    if (lstatIfThere(this.#former) === null) unlinkSync(this.#path);
    else renameSync(this.#former, this.#path);
    this.#isReplaced = false;
    await syncDirectory(dirname(this.#path));
  }
}
