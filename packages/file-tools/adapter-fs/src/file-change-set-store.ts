import type { ChangeEntry } from '@cleveragents/file-tools-domain';
import {
  FileToolError,
  fromStoredEntry,
  storedChangeEntrySchema,
  toStoredEntry,
} from '@cleveragents/file-tools-domain';
import type { ChangeSetStore } from '@cleveragents/file-tools-ports';
import type { PlanId } from '@cleveragents/shared-kernel';
import { hasCode, planKey } from '@cleveragents/shared-kernel';
import { mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * One file a plan, one line of JSON an `append`: a process that is killed while it writes leaves at most one broken line
 * at the end, which counts as never written.
 */
export class FileChangeSetStore implements ChangeSetStore {
  readonly #directory: string;

  /** @param directory is made when it is needed; nothing else should be in it */
  constructor(directory: string) {
    this.#directory = directory;
  }

  async append(planId: PlanId, entries: readonly ChangeEntry[]): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const handle = await open(this.#pathOf(planId), 'a', 0o600);
    try {
      // The line begins with its own line feed: whatever was broken off before it stays a line by itself.
      const line = `\n${JSON.stringify({ plan_id: planId, entries: entries.map(toStoredEntry) })}\n`;
      const { bytesWritten } = await handle.write(line);
      if (bytesWritten !== Buffer.byteLength(line)) throw new Error('The line could not be written whole');
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  async load(planId: PlanId): Promise<readonly ChangeEntry[]> {
    let text: string;
    try {
      text = await readFile(this.#pathOf(planId), 'utf8');
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    }
    return text.split('\n').flatMap((line, index) => readLine(line, planId, index + 1));
  }

  async clear(planId: PlanId): Promise<void> {
    try {
      await unlink(this.#pathOf(planId));
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }

  #pathOf(planId: PlanId): string {
    return join(this.#directory, `${planKey(planId)}.changes.jsonl`);
  }
}

function readLine(line: string, planId: PlanId, number: number): readonly ChangeEntry[] {
  if (line === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // Broken off when its writer was killed: that append never happened.
    return [];
  }
  const entries =
    typeof value === 'object' && value !== null && 'entries' in value ? value.entries : undefined;
  const parsed = storedChangeEntrySchema.array().safeParse(entries);
  if (parsed.success) return parsed.data.map(fromStoredEntry);
  throw new FileToolError(
    'CHANGE_SET_UNREADABLE',
    `Line ${number} of the change set of ${JSON.stringify(planId)} is not one of ours`,
    {
      hint: 'A newer version may have written it, or somebody has edited the file.',
      cause: parsed.error,
    },
  );
}
