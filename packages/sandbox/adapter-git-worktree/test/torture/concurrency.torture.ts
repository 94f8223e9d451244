import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import {
  bundleScript,
  createRepository,
  ScriptProcess,
  temporaryDirectory,
} from '@cleveragents/shared-testing';
import { litterIn } from '../support/picture.ts';
import { openPlans } from '../support/plan-calls.ts';

const WORKER = fileURLToPath(new URL('../support/worker-script.ts', import.meta.url));
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const ROUNDS = 3;

describe('ten processes that work on plans of one repository', () => {
  it('all land, while the user commits and looks at the status with git', async () => {
    const logs = Object.fromEntries(NAMES.map((name) => [`${name}.log`, 'begin\n']));
    const repository = await createRepository({ files: { 'user.txt': 'begin\n', ...logs } });
    const sandboxes = temporaryDirectory().path;
    const bundle = await bundleScript(WORKER, temporaryDirectory().path);
    const workers = NAMES.map(
      (name) => new ScriptProcess(bundle, repository.root, sandboxes, name, String(ROUNDS)),
    );
    let going = true;
    const said: string[] = [];
    let commits = 0;
    const user = (async () => {
      for (let round = 0; going; round++) {
        appendFileSync(join(repository.root, 'user.txt'), `${round}\n`);
        await repository.git('commit', '--quiet', '--message', `user ${round}`, '--', 'user.txt').then(
          () => commits++,
          (error: Error) => said.push(error.message),
        );
      }
    })();
    const onlooker = (async () => {
      while (going) {
        await repository
          .git('-c', 'core.checkStat=default', 'status', '--porcelain')
          .catch((error: Error) => said.push(error.message));
        await repository.git('update-index', '-q', '--refresh').catch(() => undefined); // dirty, or locked: never mind
      }
    })();
    const ends = await Promise.all(workers.map((worker) => worker.end()));
    going = false;
    await Promise.all([user, onlooker]);
    expect(workers.map(({ complaints }) => complaints).join('')).toBe('');
    expect(ends).toEqual(NAMES.map(() => 0));

    // What git itself refuses while we hold its locks is an ordinary "somebody else is at it".
    const unexpected = said.filter(
      (line) => !/\.lock': File exists|cannot lock ref|Unable to create/.test(line),
    );
    expect(unexpected).toEqual([]);
    expect(commits).toBeGreaterThan(0);

    const planIds = NAMES.flatMap((name) => Array.from({ length: ROUNDS }, (_, round) => `${name}-${round}`));
    const tree = (await repository.git('ls-tree', '--name-only', 'HEAD')).split('\n');
    expect(tree.filter((path) => /-\d\.txt$/.test(path)).sort()).toEqual(
      planIds.map((id) => `${id}.txt`).sort(),
    );
    for (const name of NAMES)
      expect(await repository.git('show', `HEAD:${name}.log`)).toBe(
        ['begin', ...Array.from({ length: ROUNDS }, (_, round) => `${name}-${round}`)].join('\n'),
      );
    expect(await repository.git('log', '--format=%s', '--grep', '^user')).toHaveProperty('length');
    const subjects = (await repository.git('log', '--format=%s')).split('\n');
    expect(subjects.filter((subject) => /^user \d/.test(subject))).toHaveLength(commits);
    expect((await repository.status()).map(({ path }) => path).filter((path) => path !== 'user.txt')).toEqual(
      [],
    );
    await repository.fsck();
    expect(await repository.worktrees()).toHaveLength(1);
    expect(await repository.git('worktree', 'prune', '--dry-run', '--verbose')).toBe('');
    expect(Object.keys(await repository.refs())).toEqual(['refs/heads/main']);
    expect([...readdirSync(sandboxes)]).toEqual([]);
    expect(litterIn(join(repository.root, '.git'))).toEqual([]);
    const { plans } = await openPlans({ root: repository.root, sandboxes }).list();
    expect(plans.map(({ planId, status }) => `${planId} ${status}`).sort()).toEqual(
      planIds.map((id) => `${id} applied`).sort(),
    );
  }, 1_200_000);
});
