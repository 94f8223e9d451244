import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { openJournal } from '@cleveragents/shared-adapter-fs';
import { forEachFaultPoint, temporaryDirectory } from '@cleveragents/shared-testing';

const NAMES = ['a', 'b', 'c'];

/** Kills or fails an operation of three steps at its calls, undoes it, and expects all of it or nothing of it. */
export async function strikeJournaledOperation({
  sample = Infinity,
}): Promise<{ undone: number; runs: number }> {
  let undone = 0;
  const { runs } = await forEachFaultPoint({
    script: new URL('./fixtures/journal-operation.ts', import.meta.url),
    prepare: async () => {
      const { path } = temporaryDirectory();
      mkdirSync(join(path, 'work'));
      for (const name of NAMES) writeFileSync(join(path, 'work', name), name);
      return await Promise.resolve(path);
    },
    scene: (path) => ({ arguments: [path], roots: [path] }),
    verify: async (path) => {
      await undo(path);
      const left = readdirSync(join(path, 'work'));
      expect([[], NAMES]).toContainEqual(left);
      if (left.length > 0) undone += 1;
      expect(existsSync(join(path, 'journal')) ? readdirSync(join(path, 'journal')) : []).toEqual([]);
    },
    kinds: ['kill-before', 'kill-during', 'error-from:ENOSPC'],
    sample,
  });
  return { undone, runs };
}

/** What a caller does with what it finds pending. */
async function undo(folder: string): Promise<void> {
  const journal = openJournal(join(folder, 'journal'));
  for (const entry of await journal.pending()) {
    expect(entry.isOwnerAlive()).toBe(false);
    expect(entry.payload).toEqual({ names: NAMES });
    for (const step of entry.steps) {
      const { moving } = step as { moving: string };
      if (existsSync(join(entry.folder, moving)))
        renameSync(join(entry.folder, moving), join(folder, 'work', moving));
    }
    expect(readdirSync(entry.folder)).toEqual([]);
    await entry.complete();
  }
  await journal.sweep();
}
