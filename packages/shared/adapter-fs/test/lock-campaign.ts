import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { bundleScript, temporaryDirectory } from '@cleveragents/shared-testing';

export interface Hammering {
  /** How many processes want the lock at the same time. */
  readonly places: number;
  /** How often each takes it. */
  readonly rounds: number;
  /** How many processes of each place are killed inside the lock, in round 1, 2, ..., before one is let live. */
  readonly deaths: number;
}

export interface Hammered {
  /** A number that each holder reads, and writes back one greater. */
  readonly count: number;
  /** How many holders came to the end of their work. */
  readonly whole: number;
  /** Who met whom inside the lock. */
  readonly violations: string;
  /** Files of the lock that are left when all is over. */
  readonly left: readonly string[];
}

export async function hammer({ places, rounds, deaths }: Hammering): Promise<Hammered> {
  const { path: folder } = temporaryDirectory();
  const worker = await bundleScript(
    new URL('./fixtures/lock-worker.ts', import.meta.url),
    temporaryDirectory().path,
  );
  mkdirSync(join(folder, 'inside'));
  writeFileSync(join(folder, 'counter'), '0');
  writeFileSync(join(folder, 'log'), '');
  const occupy = async (): Promise<void> => {
    for (let round = 1; round <= deaths; round += 1)
      expect(await run(worker, folder, rounds, round)).toEqual([null, 'SIGKILL']);
    expect(await run(worker, folder, rounds, 0)).toEqual([0, null]);
  };
  await Promise.all(Array.from({ length: places }, occupy));
  const read = (name: string): string =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '';
  return {
    count: Number(read('counter')),
    whole: read('log').split('\n').length - 1,
    violations: read('violations'),
    left: readdirSync(folder).filter((name) => name.startsWith('lock')),
  };
}

async function run(worker: string, folder: string, rounds: number, dieAt: number): Promise<unknown[]> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const commandLine = [worker, folder, rounds.toString(), dieAt.toString()];
  return await once(spawn(process.execPath, commandLine, { env, stdio: 'inherit' }), 'close');
}
