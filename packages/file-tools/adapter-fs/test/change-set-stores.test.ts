import { appendFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FileChangeSetStore, InMemoryChangeSetStore } from '@cleveragents/file-tools-adapter-fs';
import { changeEntry } from '@cleveragents/file-tools-domain';
import { changeSetStoreContract } from '@cleveragents/file-tools-ports/contract';
import { parsePlanId } from '@cleveragents/shared-kernel';
import { runContract, temporaryDirectory } from '@cleveragents/shared-testing';

describe('in memory', () => {
  runContract(changeSetStoreContract, {
    open: () => ({
      store: new InMemoryChangeSetStore(),
      reopen: () => Promise.reject(new Error('It ends with the process')),
    }),
    leavesOut: ['survives the process'],
  });
});

describe('in files', () => {
  runContract(changeSetStoreContract, {
    open: () => {
      const directory = join(temporaryDirectory().path, 'made', 'when-needed');
      return {
        store: new FileChangeSetStore(directory),
        reopen: async () => new FileChangeSetStore(directory),
      };
    },
    capabilities: { sharedBetweenProcesses: true },
  });

  const planId = parsePlanId('plan');
  const call = { toolName: 'tool', at: '2026-01-01T00:00:00.000Z' };
  const entries = ['a', 'b', 'c'].flatMap(
    (path) => changeEntry(path, undefined, { hash: null, mode: 1, size: 2 }, call) ?? [],
  );

  async function filled(): Promise<{ store: FileChangeSetStore; file: string }> {
    const { path } = temporaryDirectory();
    const store = new FileChangeSetStore(path);
    for (const entry of entries) await store.append(planId, [entry]);
    return { store, file: join(path, readdirSync(path)[0] ?? '') };
  }

  it('keeps what was whole when a writer was killed at any byte, and goes on from there', async () => {
    const { store, file } = await filled();
    const whole = readFileSync(file);
    const start = whole.lastIndexOf('\n', whole.length - 2);
    for (let length = start; length < whole.length - 1; length += 7) {
      writeFileSync(file, whole);
      truncateSync(file, length);
      expect((await store.load(planId)).map(({ path }) => path)).toEqual(['a', 'b']);
      await store.append(planId, entries.slice(2));
      expect((await store.load(planId)).map(({ path }) => path)).toEqual(['a', 'b', 'c']);
    }
  });

  it('says so when a line is whole and yet not one of its own', async () => {
    const { store, file } = await filled();
    appendFileSync(file, '{"entries":[{"path":1}]}\n');
    await expect(store.load(planId)).rejects.toMatchObject({ code: 'CHANGE_SET_UNREADABLE' });
  });

  it('keeps what later versions add from being an obstacle', async () => {
    const { store, file } = await filled();
    const line =
      readFileSync(file, 'utf8')
        .split('\n')
        .find((each) => each !== '') ?? '';
    appendFileSync(file, `${line.replace('"path"', '"later":true,"path"')}\n`);
    expect(await store.load(planId)).toHaveLength(4);
  });
});
