import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Journal,
  isProcessAlive,
  type LockOptions,
  openJournal,
  parseProcessMark,
  sweepTemporaryFiles,
  withDirectoryLock,
  writeFileAtomically,
} from '@cleveragents/shared-adapter-fs';
import { RESCUE_DAYS } from '@cleveragents/sandbox-domain';
import { type PlanKey, sha256Hex } from '@cleveragents/shared-kernel';
import { settleExchanges } from './exchange.ts';
import { expiredLostBases } from './lost-base.ts';
import { hasManifest } from './manifest.ts';
import { statIfThere } from './pinned-folder.ts';
import { removeWhole } from './removal.ts';
import { expiredRescues } from './rescue.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Where a sandbox that is being made lies, and who makes it. */
export interface SandboxPlace {
  readonly sandboxPath: string;
  readonly maker: string;
  /** For whoever finds the sandbox and no record of its plan. */
  readonly planId?: string | undefined;
  /** False while it is being made. Nothing of one that was made is ever removed unasked. */
  readonly isMade: boolean;
}

export const PLACE = 'place.json';

/** All that is kept of one project, outside of it. */
export class ProjectState {
  readonly folder: string;
  readonly journal: Journal;

  /** @param originalPath absolute, links resolved. Nothing is made yet. */
  constructor(stateFolder: string, originalPath: string) {
    this.folder = join(stateFolder, sha256Hex(originalPath).slice(0, 16));
    this.journal = openJournal(join(this.folder, 'journal'));
  }

  get lockPath(): string {
    return join(this.folder, 'apply.lock');
  }

  /** What is kept of one sandbox. */
  sandboxFolder(sandboxId: string): string {
    return join(this.folder, 'sandboxes', sandboxId);
  }

  rescueFolder(key: PlanKey): string {
    return join(this.folder, 'rescued', key);
  }

  /** Of sandboxes whose folder somebody took, by plan. */
  get lostBases(): string {
    return join(this.folder, 'lost');
  }

  /** One at a time per project, in all processes; what a dead one left half-done is settled first. */
  async locked<T>(owner: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
    return this.#underLock({ owner, timeoutMs }, async () => {
      await settleExchanges(this.journal);
      return work();
    });
  }

  hasUnfinished(): boolean {
    if (!existsSync(this.journal.directory)) return false;
    return readdirSync(this.journal.directory).length > 0;
  }

  /** Another one after each exchange that was begun or ended meanwhile. */
  exchangeMark(): string {
    const stats = statIfThere(this.journal.directory);
    return stats === null ? '' : `${stats.mtimeMs} ${readdirSync(this.journal.directory).join(' ')}`;
  }

  /** Settles what is half-done and drops what was kept for long enough, in words. */
  async recover(now: Date, timeoutMs: number): Promise<readonly string[]> {
    if (!existsSync(this.folder)) return [];
    return this.#underLock({ owner: 'recovery', timeoutMs }, async () => {
      const said = [...(await settleExchanges(this.journal))];
      for (const path of expiredRescues(join(this.folder, 'rescued'), now)) {
        await removeWhole(path);
        said.push(`Let go of work that was kept for ${RESCUE_DAYS} days: ${path}`);
      }
      for (const path of expiredLostBases(this.lostBases, now)) {
        await removeWhole(path);
        said.push(`Let go of what a lost sandbox began with, kept for ${RESCUE_DAYS} days: ${path}`);
      }
      for (const sandboxId of namesIn(join(this.folder, 'sandboxes')))
        said.push(...(await this.#tidy(sandboxId, now)));
      return said;
    });
  }

  /** What was done is done, also when the lock cannot be let go: it is free when this process ends. */
  async #underLock<T>(options: LockOptions, work: () => Promise<T>): Promise<T> {
    let outcome: Promise<T> | null = null;
    try {
      await withDirectoryLock(
        this.lockPath,
        async () => {
          outcome = work();
          await outcome.catch(() => undefined);
        },
        options,
      );
    } catch (error) {
      if (outcome === null) throw error;
    }
    if (outcome === null) throw new Error('nothing was done under the lock');
    return outcome;
  }

  /** Removes what a creation left that died, and what an undo would have needed within the time that it is kept. */
  async #tidy(sandboxId: string, now: Date): Promise<readonly string[]> {
    const folder = this.sandboxFolder(sandboxId);
    await sweepTemporaryFiles(folder);
    const place = readPlace(folder);
    if (hasManifest(folder) || place?.isMade === true) return [];
    if (place !== null) {
      const maker = parseProcessMark(place.maker);
      if (maker !== null && isProcessAlive(maker)) return [];
      await this.removeCreation(sandboxId);
      return [`Removed a sandbox that was never finished: ${place.sandboxPath}`];
    }
    if (now.getTime() - statSync(folder).mtimeMs < RESCUE_DAYS * DAY_MS) return [];
    await removeWhole(folder);
    return [`Let go of what an undo would have needed: ${folder}`];
  }

  /** Removes all of a sandbox that nobody was given. @returns whether there was one. */
  async removeCreation(sandboxId: string): Promise<boolean> {
    const folder = this.sandboxFolder(sandboxId);
    const place = readPlace(folder);
    if (place !== null) await removeWhole(place.sandboxPath);
    await removeWhole(folder);
    return place !== null;
  }
}

export async function writePlace(folder: string, place: SandboxPlace): Promise<void> {
  await writeFileAtomically(join(folder, PLACE), JSON.stringify(place), { mode: 0o600 });
}

export function readPlace(folder: string): SandboxPlace | null {
  const path = join(folder, PLACE);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as SandboxPlace) : null;
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
