import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { inspectLock, withDirectoryLock } from '@cleveragents/shared-adapter-fs';
import { bundleScript, forEachFaultPoint, temporaryDirectory } from '@cleveragents/shared-testing';
import { hammer } from './lock-campaign.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const bundles = temporaryDirectory();

describe('a lock between processes', () => {
  it('lets ten processes that hammer it in one at a time, and each to its end', async () => {
    const { count, violations, left } = await hammer({ places: 10, rounds: 15, deaths: 0 });
    expect({ count, violations, left }).toEqual({ count: 150, violations: '', left: [] });
  });

  it('goes from holders that are killed to exactly one of those that wait', async () => {
    const { count, whole, violations, left } = await hammer({ places: 8, rounds: 4, deaths: 2 });
    // Each that is killed in a round has finished the rounds before it.
    const expected = 8 * 4 + 8 * (0 + 1);
    expect({ count, whole, violations, left }).toEqual({
      count: expected,
      whole: expected,
      violations: '',
      left: [],
    });
  });

  it('is named after its living holder, and free as soon as that is killed', async () => {
    const bundle = await bundleScript(fixture('hold-lock.ts'), bundles.path);
    const lock = join(temporaryDirectory().path, 'lock');
    const { NODE_OPTIONS: _, ...env } = process.env;
    const holder = spawn(process.execPath, [bundle, lock], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(holder.stdout, 'data');
    expect(inspectLock(lock)).toMatchObject({
      process: { pid: holder.pid },
      state: 'alive',
      owner: 'the holder',
    });
    const early = withDirectoryLock(lock, () => 'never', { timeoutMs: 30 });
    await expect(early).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
      data: { pid: holder.pid, owner: 'the holder' },
    });
    const waiting = withDirectoryLock(lock, () => 'mine');
    holder.kill('SIGKILL');
    expect(await waiting).toBe('mine');
  });

  it('can be taken by the next process wherever the one before was killed, and nothing piles up', async () => {
    const { runs } = await forEachFaultPoint({
      script: fixture('lock-once.ts'),
      prepare: async () => await Promise.resolve(temporaryDirectory().path),
      scene: (path) => ({ arguments: [join(path, 'locks', 'lock')], roots: [path] }),
      verify: async (path) => {
        expect(await withDirectoryLock(join(path, 'locks', 'lock'), () => 'mine', { timeoutMs: 0 })).toBe(
          'mine',
        );
        expect(readdirSync(join(path, 'locks'))).toEqual([]);
      },
      kinds: ['kill-before', 'kill-during', 'kill-after', 'error-from:ENOSPC', 'error:EIO'],
    });
    expect(runs).toBeGreaterThan(15);
  });
});
