import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { commitFiles, fsck, git, GIT_ENVIRONMENT, makeProject } from '@cleveragents/shared-testing/real-git';
import { IsomorphicEngine } from '../../src/isomorphic-engine.ts';

const SCRIPT = fileURLToPath(new URL('../support/advance-branch.ts', import.meta.url));
const TOP = fileURLToPath(new URL('../../../../../', import.meta.url));
const MAIN = 'refs/heads/main';

let root: string;
beforeEach(() => {
  ({ root } = makeProject());
  commitFiles(root, { file: 'x' }, 'root');
  // the fixed date of these commits is long past
  git(root, 'config', 'gc.reflogExpire', 'never');
  git(root, 'config', 'gc.reflogExpireUnreachable', 'never');
});
afterEach(() => {
  expect(fsck(root)).toBe('');
});

class Advancer {
  readonly process: ChildProcess;
  readonly #output: Buffer[] = [];

  constructor(label: string, rounds: number) {
    const script = [SCRIPT, root, MAIN, label, String(rounds)];
    this.process = spawn(process.execPath, ['--conditions=@cleveragents/source', '--import=tsx', ...script], {
      cwd: TOP,
      env: { ...GIT_ENVIRONMENT, TMPDIR: process.env['TMPDIR'] },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.process.stdout?.on('data', (chunk: Buffer) => this.#output.push(chunk));
  }

  /** The commits of which it said that the branch moved there. */
  get moved(): readonly string[] {
    return Buffer.concat(this.#output)
      .toString()
      .split('\n')
      .filter((line) => line.length === 40);
  }

  async end(): Promise<number | null> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'close');
    return this.process.exitCode;
  }
}

const run = promisify(execFile);
const gitAsync = (...args: readonly string[]): Promise<unknown> =>
  run('git', args, { cwd: root, env: { ...GIT_ENVIRONMENT } });

/** Goes on with git's own work on refs until told to stop; what git itself gives up on does not matter. */
function disturb(): () => Promise<void> {
  let going = true;
  const work = (async () => {
    for (let round = 0; going; round++) {
      await gitAsync('pack-refs', '--all').catch(() => undefined);
      await gitAsync('update-ref', `refs/tags/noise/${round % 7}`, 'HEAD').catch(() => undefined);
      if (round % 10 === 9) await gitAsync('gc', '-q').catch(() => undefined);
    }
  })();
  return async () => {
    going = false;
    await work;
  };
}

describe('several processes on one branch', () => {
  it('lose no update, beside git pack-refs, git gc and git commit', async () => {
    const stop = disturb();
    const advancers = ['a', 'b', 'c'].map((label) => new Advancer(label, 40));
    let byGit = 0;
    for (let round = 0; round < 20; round++)
      await gitAsync('commit', '-q', '--allow-empty', '-m', `git ${round}`).then(
        () => byGit++,
        () => undefined,
      );
    expect(await Promise.all(advancers.map((one) => one.end()))).toEqual([0, 0, 0]);
    await stop();
    const history = git(root, 'rev-list', 'main').split('\n');
    const moved = advancers.flatMap((one) => one.moved);
    expect(moved).toHaveLength(120);
    expect(moved.filter((id) => !history.includes(id))).toEqual([]);
    expect(history).toHaveLength(1 + 120 + byGit);
    expect(git(root, 'reflog', '--format=%H', 'main').split('\n')).toEqual(history);
  }, 600_000);

  it('are killed at any moment, and recovery lets git go on with all that they had moved', async () => {
    const host = await new IsomorphicEngine({ environment: GIT_ENVIRONMENT }).open(root);
    for (let round = 0; round < 25; round++) {
      const advancer = new Advancer(`round ${round}`, 1_000_000);
      const wanted = 1 + (round % 5);
      while (advancer.moved.length < wanted)
        await once(advancer.process.stdout as NodeJS.ReadableStream, 'data');
      advancer.process.kill('SIGKILL');
      await advancer.end();
      expect(await host.recover()).toEqual({ actions: [] });
      git(root, 'commit', '-q', '--allow-empty', '-m', `after ${round}`);
      const history = git(root, 'rev-list', 'main').split('\n');
      expect(advancer.moved.filter((id) => !history.includes(id))).toEqual([]);
      expect(fsck(root)).toBe('');
    }
  }, 600_000);
});
