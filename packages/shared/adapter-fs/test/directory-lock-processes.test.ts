import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { inspectLock, withDirectoryLock } from '@cleveragents/shared-adapter-fs';
import { bundleScript, forEachFaultPoint, temporaryDirectory } from '@cleveragents/shared-testing';

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const bundles = temporaryDirectory();

interface End {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

async function run(bundle: string, ...commandLine: readonly string[]): Promise<End> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(process.execPath, [bundle, ...commandLine], { env, stdio: 'inherit' });
  const [exitCode, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { exitCode, signal };
}

function workplace(): string {
  const { path } = temporaryDirectory();
  mkdirSync(join(path, 'inside'));
  writeFileSync(join(path, 'counter'), '0');
  writeFileSync(join(path, 'log'), '');
  return path;
}

const countIn = (folder: string): number => Number(readFileSync(join(folder, 'counter'), 'utf8'));
const violationsIn = (folder: string): string =>
  existsSync(join(folder, 'violations')) ? readFileSync(join(folder, 'violations'), 'utf8') : '';

describe('a lock between processes', () => {
  it('lets ten processes that hammer it in one at a time, and each to its end', async () => {
    const worker = await bundleScript(fixture('lock-worker.ts'), bundles.path);
    const folder = workplace();
    const ends = await Promise.all(Array.from({ length: 10 }, () => run(worker, folder, '20', '0')));
    expect(ends).toEqual(Array.from({ length: 10 }, () => ({ exitCode: 0, signal: null })));
    expect({ count: countIn(folder), violations: violationsIn(folder) }).toEqual({
      count: 200,
      violations: '',
    });
    expect(readdirSync(folder).sort()).toEqual(['counter', 'inside', 'log']);
  });

  it('goes from holders that are killed to exactly one of those that wait', async () => {
    const worker = await bundleScript(fixture('lock-worker.ts'), bundles.path);
    const folder = workplace();
    const lives = Array.from({ length: 8 }, async (_, place) => {
      // Each place is taken by three processes that are killed inside the lock, one after the other, and one that is not.
      for (const dieAt of [3, 1, 1 + (place % 4), 0]) {
        const { signal, exitCode } = await run(worker, folder, '5', dieAt.toString());
        expect({ signal, exitCode }).toEqual(
          dieAt === 0 ? { signal: null, exitCode: 0 } : { signal: 'SIGKILL', exitCode: null },
        );
      }
    });
    await Promise.all(lives);
    const whole = readFileSync(join(folder, 'log'), 'utf8').split('\n').length - 1;
    const expected = 8 * (2 + 0 + 5) + 2 * (0 + 1 + 2 + 3);
    expect({ count: countIn(folder), whole, violations: violationsIn(folder) }).toEqual({
      count: expected,
      whole: expected,
      violations: '',
    });
    expect(readdirSync(folder).filter((name) => name.startsWith('lock'))).toEqual([]);
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
