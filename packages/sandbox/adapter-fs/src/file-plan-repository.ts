import { mkdir, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isProcessAlive,
  parseProcessMark,
  processMark,
  sweepTemporaryFiles,
  syncDirectory,
  withDirectoryLock,
  writeFileAtomically,
} from '@cleveragents/shared-adapter-fs';
import { hasCode, messageOf, type PlanId, planKey } from '@cleveragents/shared-kernel';
import { PLAN_SCHEMA_VERSION, type PlanRecord, planRecordSchema } from '@cleveragents/sandbox-domain';
import { type PlanListing, type PlanRepository, PlanStoreError } from '@cleveragents/sandbox-ports';

/** Between a plan's key and the mark of the process that works on it. */
const WORK = '.work+';

export interface FilePlanRepositoryOptions {
  /** Folder for the records, made when it is missing: `<git common dir>/cleveragents/plans`. */
  readonly directory: string;
  /** Longest wait for a plan's lock. Default 30,000. */
  readonly lockTimeoutMs?: number | undefined;
}

/** One JSON file a plan, named by its key; written by temp file, fsync and rename. Shared between processes. */
export class FilePlanRepository implements PlanRepository {
  readonly #directory: string;
  readonly #lockTimeoutMs: number;

  constructor({ directory, lockTimeoutMs = 30_000 }: FilePlanRepositoryOptions) {
    this.#directory = directory;
    this.#lockTimeoutMs = lockTimeoutMs;
  }

  async load(planId: PlanId): Promise<PlanRecord | null> {
    const file = this.#fileOf(planId);
    const text = await this.#storing(`read from ${file}`, () => readTextOrNull(file));
    return text === null ? null : parseRecord(text, file);
  }

  async save(plan: PlanRecord): Promise<void> {
    const file = this.#fileOf(plan.planId as PlanId);
    await this.#storing(`written to ${file}`, async () => {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await writeFileAtomically(file, `${JSON.stringify(plan, null, 2)}\n`, { mode: 0o600 });
    });
  }

  async list(): Promise<PlanListing> {
    const plans: PlanRecord[] = [];
    const unreadable: { readonly name: string; readonly reason: string }[] = [];
    for (const name of await this.#recordNames()) {
      try {
        const text = await readTextOrNull(join(this.#directory, name));
        if (text !== null) plans.push(parseRecord(text, join(this.#directory, name)));
      } catch (error) {
        unreadable.push({ name, reason: messageOf(error) });
      }
    }
    plans.sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.planId, b.planId));
    return { plans, unreadable };
  }

  async delete(planId: PlanId): Promise<void> {
    const file = this.#fileOf(planId);
    await this.#storing(`removed from ${file}`, async () => {
      try {
        await unlink(file);
        await syncDirectory(this.#directory);
      } catch (error) {
        if (!hasCode(error, 'ENOENT')) throw error;
      }
    });
  }

  async withPlanLock<T>(planId: PlanId, work: () => Promise<T>): Promise<T> {
    const path = join(this.#directory, `${planKey(planId)}.lock`);
    let outcome: Promise<T> | null = null;
    const locked = async (): Promise<void> => {
      await sweepTemporaryFiles(this.#directory);
      outcome = work();
      await outcome.catch(() => undefined);
    };
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await withDirectoryLock(path, locked, { timeoutMs: this.#lockTimeoutMs, owner: `plan ${planId}` });
    } catch (error) {
      // what was done is done, also when the lock cannot be let go: it is free when this process ends
      if (outcome === null) throw this.#lockRefused(planId, error);
    }
    if (outcome === null) throw new Error(`nothing was done under the lock ${path}`);
    return outcome;
  }

  #lockRefused(planId: PlanId, cause: unknown): PlanStoreError {
    if (!hasCode(cause, 'LOCK_TIMEOUT'))
      return storeFailed(`locked in ${this.#directory}`, this.#directory, cause);
    return new PlanStoreError(
      'PLAN_LOCKED',
      `Another process works on plan ${JSON.stringify(planId)}: ${cause.message}`,
      { hint: 'Wait until it is done, then try again.', data: { planId }, cause },
    );
  }

  /** Says in our words what the file system refuses. */
  async #storing<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw storeFailed(what, this.#directory, cause);
    }
  }

  async beginWork(planId: PlanId, label: string): Promise<() => Promise<void>> {
    const file = join(this.#directory, `${planKey(planId)}${WORK}${processMark()}`);
    await this.#storing(`noted in ${file}`, async () => {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await writeFile(file, label, { mode: 0o600, flag: 'wx' });
    });
    return async () => {
      await this.#storing(`removed from ${file}`, () => rm(file, { force: true }));
    };
  }

  async listWork(planId: PlanId): Promise<readonly string[]> {
    return this.#storing(`read from ${this.#directory}`, async () => {
      const prefix = `${planKey(planId)}${WORK}`;
      const labels: string[] = [];
      for (const name of (await namesIn(this.#directory)).filter((each) => each.startsWith(prefix))) {
        const worker = parseProcessMark(name.slice(prefix.length));
        if (worker === null) continue;
        const file = join(this.#directory, name);
        if (isProcessAlive(worker)) labels.push((await readTextOrNull(file)) ?? '');
        else await rm(file, { force: true });
      }
      return labels.sort();
    });
  }

  #fileOf(planId: PlanId): string {
    return join(this.#directory, `${planKey(planId)}.json`);
  }

  #recordNames(): Promise<readonly string[]> {
    return this.#storing(`listed in ${this.#directory}`, async () =>
      (await namesIn(this.#directory)).filter((name) => name.endsWith('.json')).sort(),
    );
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

function storeFailed(what: string, directory: string, cause: unknown): PlanStoreError {
  return new PlanStoreError('PLAN_STORE_FAILED', `The plan could not be ${what}: ${messageOf(cause)}`, {
    hint: 'Free disk space or permissions there, then try again. An old record is still in place.',
    data: { directory },
    cause,
  });
}

async function readTextOrNull(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function parseRecord(text: string, file: string): PlanRecord {
  const unreadable = (reason: string, cause: unknown): PlanStoreError =>
    new PlanStoreError('PLAN_RECORD_UNREADABLE', `The plan record ${file} cannot be read: ${reason}`, {
      hint: 'A newer version may have written it. Otherwise move the file away; the sandbox itself is untouched.',
      data: { file },
      cause,
    });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw unreadable('it is no JSON', cause);
  }
  const parsed = planRecordSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const version = (json as { schemaVersion?: unknown } | null)?.schemaVersion;
  const known = version === PLAN_SCHEMA_VERSION;
  throw unreadable(known ? 'fields are missing or wrong' : `its version is ${String(version)}`, parsed.error);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
