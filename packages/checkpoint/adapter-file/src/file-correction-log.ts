import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Correction, correctionFromStored, correctionToStored } from '@cleveragents/checkpoint-domain';
import type { CorrectionLog } from '@cleveragents/checkpoint-ports';
import { withDirectoryLock } from '@cleveragents/shared-adapter-fs';
import { hasCode, messageOf, planKey, type PlanId } from '@cleveragents/shared-kernel';
import type { CorruptRecord } from './plan-folder.ts';

/** Corrections as lines of JSON, a file a plan: `<plan key>.jsonl`. A line that a crash cut short spoils no other. */
export class FileCorrectionLog implements CorrectionLog {
  readonly #directory: string;
  readonly #report: (corrupt: CorruptRecord) => void;

  /** @param options.directory absolute path of a folder of its own; made when the first correction is recorded. */
  constructor(options: {
    readonly directory: string;
    readonly report?: ((corrupt: CorruptRecord) => void) | undefined;
  }) {
    this.#directory = options.directory;
    this.#report = options.report ?? (() => undefined);
  }

  async record(correction: Correction): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const path = this.#pathOf(correction.planId);
    await withDirectoryLock(`${path}.lock`, async () => {
      const file = await open(path, 'a', 0o600);
      try {
        // The line feed in front ends a line that an earlier crash cut short.
        await file.writeFile(`\n${JSON.stringify(correctionToStored(correction))}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
    });
  }

  async listByPlan(planId: PlanId): Promise<readonly Correction[]> {
    const path = this.#pathOf(planId);
    const lines = (await readIfThere(path)).split('\n').filter((line) => line !== '');
    return lines.flatMap((line) => {
      try {
        return [correctionFromStored(JSON.parse(line))];
      } catch (error) {
        this.#report({ path, reason: messageOf(error) });
        return [];
      }
    });
  }

  #pathOf(planId: PlanId): string {
    return join(this.#directory, `${planKey(planId)}.jsonl`);
  }
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  }
}
