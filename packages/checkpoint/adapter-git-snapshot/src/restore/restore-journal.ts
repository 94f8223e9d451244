import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { SnapshotDifference } from '@cleveragents/checkpoint-domain';
import { type Durability, removeTree, syncFolder, writeNewFile } from '@cleveragents/shared-adapter-fs';
import { RESTORE_FOLDER } from '../scan/scan-place.ts';

/** What a restore is about to do; enough to undo it at any point. */
export interface RestoreJournalContent {
  readonly version: 1;
  readonly steps: readonly SnapshotDifference[];
  /** Directories that were made writable meanwhile, and the mode they had. */
  readonly loosened: readonly (readonly [path: string, mode: number])[];
}

const JOURNAL = 'journal.json';

/**
 * The folder in which a restore stages what it puts (`new/<step>`) and keeps what it takes away (`old/<step>`), on the file system
 * of the tree itself. With the journal in it the restore is to be undone; without, only the folder is left to remove.
 */
export class RestoreJournal {
  readonly path: string;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    this.path = join(root, RESTORE_FOLDER);
  }

  isThere(): boolean {
    return lstatSync(this.path, { throwIfNoEntry: false })?.isDirectory() === true;
  }

  newPath(step: number): string {
    return join(this.path, 'new', String(step));
  }

  oldPath(step: number): string {
    return join(this.path, 'old', String(step));
  }

  create(): void {
    for (const folder of [this.path, join(this.path, 'new'), join(this.path, 'old')])
      mkdirSync(folder, { mode: 0o700 });
    // Until it is settled, git and whoever else reads the tree shall leave it out.
    writeNewFile(join(this.path, '.gitignore'), [Buffer.from('*\n')], 'process', 0o600);
  }

  /** From here on the restore can be undone, and until `close` it will be. */
  begin(content: RestoreJournalContent, durability: Durability): void {
    writeNewFile(join(this.path, 'draft'), [Buffer.from(JSON.stringify(content))], durability, 0o600);
    renameSync(join(this.path, 'draft'), join(this.path, JOURNAL));
    syncFolder(this.path, durability);
  }

  /** `null`: no step was taken, or all were, or all were undone. */
  read(): RestoreJournalContent | null {
    const path = join(this.path, JOURNAL);
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as RestoreJournalContent) : null;
  }

  /** In one instant: what was done, or undone, stays so. */
  close(): void {
    renameSync(join(this.path, JOURNAL), join(this.path, 'closed.json'));
  }

  async remove(): Promise<void> {
    await removeTree(this.path, { within: this.#root });
  }
}
