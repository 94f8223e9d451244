import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileCheckpointRepository, FileCorrectionLog } from '@cleveragents/checkpoint-adapter-file';
import { parsePlanId, planKey } from '@cleveragents/shared-kernel';
import { SeededIds, temporaryDirectory } from '@cleveragents/shared-testing';
import type { Records } from './composed-driver.ts';

/** An entry is the name of a file; what a plan's folder holds beside the checkpoints themselves can be lost. */
export class RecordsInFiles implements Records {
  readonly #directory = temporaryDirectory('cleveragents-features-');
  readonly #path = join(this.#directory.path, 'checkpoints');
  readonly repository = new FileCheckpointRepository({ directory: this.#path });
  readonly audit = new FileCorrectionLog({ directory: join(this.#directory.path, 'corrections') });

  async addEntryWithoutCheckpoint(planId: string): Promise<void> {
    const folder = join(this.#path, planKey(parsePlanId(planId)));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${new SeededIds().next()}.json`), 'cut sho');
  }

  async loseEntries(planId: string): Promise<void> {
    const folder = join(this.#path, planKey(parsePlanId(planId)));
    const others = (await readdir(folder)).filter((name) => !name.endsWith('.json'));
    for (const name of others) await rm(join(folder, name));
  }

  close(): Promise<void> {
    return this.#directory.remove();
  }
}
