import { mkdir, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  breakStaleLock,
  inspectLocks,
  isProcessAlive,
  parseProcessMark,
  processMark,
  sweepTemporaryFiles,
  syncDirectory,
  withDirectoryLock,
  writeFileAtomically,
} from '@cleveragents/shared-adapter-fs';
import { hasCode, isCodedError, messageOf, type PlanId, planKey } from '@cleveragents/shared-kernel';
import {
  type LockTrace,
  PLAN_SCHEMA_VERSION,
  type PlanRecord,
  planRecordSchema,
  type UnreadableRecord,
} from '@cleveragents/sandbox-domain';
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
    const unreadable: UnreadableRecord[] = [];
    for (const name of await this.#recordNames()) {
      try {
        const text = await readTextOrNull(join(this.#directory, name));
        if (text !== null) plans.push(parseRecord(text, join(this.#directory, name)));
      } catch (error) {
        unreadable.push({ name, reason: messageOf(error), fault: faultOf(error) });
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
    return this.#locked(planKey(planId), planId, work);
  }

  async #locked<T>(key: string, planId: string, work: () => Promise<T>): Promise<T> {
    const path = join(this.#directory, `${key}.lock`);
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

  #lockRefused(planId: string, cause: unknown): PlanStoreError {
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

  async listLocks(): Promise<readonly LockTrace[]> {
    return this.#storing(`read from ${this.#directory}`, async () =>
      inspectLocks(this.#directory).map(({ path, holder }) => ({
        path,
        holder: holder.state,
        pid: holder.process?.pid ?? null,
        since: (holder.since ?? new Date(0)).toISOString(),
        kind: 'own-folder',
      })),
    );
  }

  async freeLock(path: string): Promise<boolean> {
    return dirname(path) === this.#directory && breakStaleLock(path) !== null;
  }

  async putAside(name: string): Promise<string | null> {
    const file = join(this.#directory, basename(name));
    const key = basename(name, '.json');
    return this.#locked(key, key, async () => {
      if ((await this.#faultIn(file)) !== 'damaged') return null;
      const taken = new Set(await namesIn(this.#directory));
      let aside = `${key}.damaged`;
      for (let number = 1; taken.has(aside); number++) aside = `${key}.damaged-${number}`;
      await this.#storing(`put aside as ${aside}`, () => rename(file, join(this.#directory, aside)));
      return aside;
    });
  }

  async #faultIn(file: string): Promise<UnreadableRecord['fault'] | null> {
    try {
      const text = await readTextOrNull(file);
      if (text !== null) parseRecord(text, file);
      return null;
    } catch (error) {
      return faultOf(error);
    }
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
  const unreadable = (reason: string, cause: unknown, isNewer = false): PlanStoreError =>
    new PlanStoreError('PLAN_RECORD_UNREADABLE', `The plan record ${file} cannot be read: ${reason}`, {
      hint: 'See what `cleveragents doctor` says of it; the sandbox itself is untouched.',
      data: { file, isNewer },
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
  const isNewer = typeof version === 'number' && version > PLAN_SCHEMA_VERSION;
  const reason = isNewer ? `its version is ${version}` : 'fields are missing or wrong';
  throw unreadable(reason, parsed.error, isNewer);
}

function faultOf(error: unknown): UnreadableRecord['fault'] {
  if (!hasCode(error, 'PLAN_RECORD_UNREADABLE') || !isCodedError(error)) return 'refused';
  return error.data['isNewer'] === true ? 'newer' : 'damaged';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
