import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { register } from 'tsx/esm/api';
import { root } from '../setup.mjs';

register();
const { Meter } = await import('./meter.ts');
const { parseOptions } = await import('./options.ts');
const { hermeticEnvironment, makeRepository } = await import('./repositories.ts');
const { runRow } = await import('./runner.ts');
const { median } = await import('./statistics.ts');
const { table } = await import('./report.ts');

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'cleveragents-bench-test-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe('a median', () => {
  it('is the middle value, or the mean of the two in the middle', () => {
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1, 2, 3]), 2.5);
    assert.throws(() => median([]), /no median/);
  });
});

describe('the options', () => {
  it('name the rows, the rounds and where the data lies', () => {
    assert.deepEqual(parseOptions(['--rows', '1,5', '--rounds', '9', '--dir', folder, '--large']), {
      rows: [1, 5],
      rounds: 9,
      large: true,
      dir: folder,
      json: undefined,
    });
  });

  for (const args of [['--rounds', '4'], ['--rounds', 'x'], ['--rows', 'a'], ['--fast']])
    it(`refuse ${args.join(' ')}`, () => {
      assert.throws(() => parseOptions(args), Error);
    });
});

describe('a repository to measure with', () => {
  const git = (path, ...args) =>
    execFileSync('git', args, { cwd: path, env: hermeticEnvironment, encoding: 'utf8' }).trim();
  let paths;
  before(() => {
    paths = ['one', 'two'].map((name) => join(folder, name));
    for (const path of paths) makeRepository('r1k', path, root);
  });

  it('is the same each time it is made', () => {
    const [one, two] = paths.map((path) => git(path, 'rev-parse', 'HEAD'));
    assert.equal(one, two);
  });

  it('is clean, packed, sound and never repacks itself', () => {
    const [path] = paths;
    assert.equal(git(path, 'status', '--porcelain'), '');
    assert.match(git(path, 'count-objects', '-v'), /^count: 0$/m);
    assert.equal(git(path, 'fsck', '--strict'), '');
    assert.equal(git(path, 'config', 'gc.auto'), '0');
    assert.equal(git(path, 'ls-files').split('\n').length, 1_001);
  });
});

describe('a row', () => {
  const row = (contenders) => ({
    number: 99,
    title: 'work',
    goal: { metric: 'wall', atMost: 1 },
    contenders,
  });
  const baseline = { name: 'script', baseline: true, run: () => {} };

  it('runs every contender in every round, once more to warm up, each step in order', async () => {
    const steps = [];
    const noted = (step) => () => void steps.push(step);
    const ours = {
      name: 'ours',
      prepare: noted('prepare'),
      run: noted('run'),
      verify: noted('verify'),
      cleanup: noted('cleanup'),
    };
    const { contenders } = await runRow(row([baseline, ours]), 5, Math.random);
    assert.equal(steps.join(' '), Array(6).fill('prepare run verify cleanup').join(' '));
    assert.deepEqual(
      contenders.map(({ samples }) => samples.length),
      [5, 5],
    );
  });

  it('cleans up and fails when the work was done wrongly', async () => {
    let cleaned = 0;
    const wrong = {
      name: 'wrong',
      run: () => {},
      verify: () => {
        throw new Error('not the right answer');
      },
      cleanup: () => void cleaned++,
    };
    await assert.rejects(runRow(row([baseline, wrong]), 5, Math.random), /not the right answer/);
    assert.equal(cleaned, 1);
  });

  it('has exactly one baseline', async () => {
    const { baseline: _no, ...plain } = baseline;
    await assert.rejects(runRow(row([plain]), 5, Math.random), /one baseline/);
    await assert.rejects(runRow(row([baseline, { ...baseline }]), 5, Math.random), /one baseline/);
  });

  it('says in its table whether its goal was reached', async () => {
    const result = (medians) => ({
      row: row([]),
      contenders: [
        {
          name: 'ours',
          isBaseline: false,
          median: { wall: 5, cpu: 5 },
          minimum: { wall: 4, cpu: 4 },
          ratio: { medians, minima: medians },
        },
      ],
    });
    assert.match(table([result({ wall: 0.5, cpu: 2 })]), /wall <= 1: reached/);
    assert.match(table([result({ wall: 1.5, cpu: 0 })]), /wall <= 1: MISSED/);
  });
});

describe('the meter', () => {
  it("counts a command's processor time, and the clock while it runs", async () => {
    const busy = 'const end = Date.now() + 20; while (Date.now() < end);';
    const usage = await new Meter().measure((meter) =>
      meter.command([process.execPath, '-e', busy], { cwd: folder }),
    );
    assert.ok(usage.cpu > 0 && usage.wall > 0);
  });

  it(
    'counts what a process spends that was there before',
    { skip: process.platform !== 'linux' },
    async () => {
      const busy = `process.stdin.once('data', () => {
      while (process.cpuUsage().user < 300_000);
      process.stdout.write('done');
      process.stdin.once('data', () => process.exit());
    })`;
      const child = spawn(process.execPath, ['-e', busy], { stdio: ['pipe', 'pipe', 'inherit'] });
      const usage = await new Meter().measure((meter) =>
        meter.asking(child.pid, async () => {
          child.stdin.write('go');
          await once(child.stdout, 'data');
        }),
      );
      child.stdin.write('end');
      await once(child, 'exit');
      assert.ok(usage.cpu > 0);
    },
  );

  it('runs a script and fails with it, telling why', async () => {
    writeFileSync(join(folder, 'input'), 'text');
    const meter = new Meter();
    await meter.measure((each) => each.script('cp input output && rm input', { cwd: folder }));
    assert.equal(readFileSync(join(folder, 'output'), 'utf8'), 'text');
    await assert.rejects(
      meter.measure((each) => each.script('cat no-such-file', { cwd: folder })),
      /no-such-file/,
    );
  });
});

describe('the program', () => {
  const bench = (...args) =>
    spawnSync(
      process.execPath,
      ['--conditions=@cleveragents/source', '--import=tsx', 'tools/bench/main.ts', ...args],
      { cwd: root, encoding: 'utf8' },
    );

  it('refuses a row that is not there', () => {
    const { status, stderr } = bench('--rows', '4242');
    assert.equal(status, 2);
    assert.match(stderr, /no such row: 4242/);
  });
});
