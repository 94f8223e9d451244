import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { openJournal, withDirectoryLock } from '@cleveragents/shared-adapter-fs';
import { expectUnchanged, hermeticGitEnvironment } from '@cleveragents/shared-testing';
import { deadMark, DoctorBench, killJournal, remove, sandboxOf } from './support/doctor-bench.ts';

const run = promisify(execFile);
const HOUR_AGO = new Date(Date.now() - 60 * 60 * 1000);

/** Damage that only people can judge: what `--fix` must not touch, and how it ends. */
interface Riddle {
  readonly name: string;
  readonly kind: string;
  readonly make: (bench: DoctorBench) => Promise<void>;
  /** What a person does; the command that the finding names when it is left out. */
  readonly solve?: (bench: DoctorBench) => Promise<void>;
}

const RIDDLES: readonly Riddle[] = [
  {
    name: 'a record of a newer version',
    kind: 'plan-unreadable',
    make: async (bench) => {
      await bench.plan();
      bench.rewriteRecord('x', (record) => ({ ...record, schemaVersion: 2 }));
    },
    solve: async (bench) => bench.rewriteRecord('x', (record) => ({ ...record, schemaVersion: 1 })),
  },
  {
    name: 'an old lock of git’s',
    kind: 'foreign-lock',
    make: async ({ common }) => {
      writeFileSync(join(common, 'index.lock'), '');
      utimesSync(join(common, 'index.lock'), HOUR_AGO, HOUR_AGO);
    },
  },
  {
    name: 'an old lock of ours from another machine',
    kind: 'unknown-lock',
    make: async ({ common }) => {
      const lock = join(common, 'cleveragents/checkpoints.git.lock');
      mkdirSync(lock, { recursive: true });
      const mark = deadMark().replace(/\+h[^+]*\+/, '+helsewhere+');
      writeFileSync(join(lock, mark), JSON.stringify({ since: HOUR_AGO.toISOString() }));
    },
  },
  {
    name: 'a branch with commits that are nowhere else, and no plan',
    kind: 'orphan-branch',
    make: async (bench) => {
      const tree = await bench.git('rev-parse', 'HEAD^{tree}');
      const commit = await bench.git('commit-tree', '-p', 'HEAD', '-m', 'whose?', tree);
      await bench.git('branch', 'cleveragents/plan-y', commit);
    },
    solve: async (bench) => void (await bench.git('branch', '-m', 'cleveragents/plan-y', 'mine')),
  },
  {
    name: 'a branch with no commits of its own, and no plan',
    kind: 'orphan-branch',
    make: async (bench) => void (await bench.git('branch', 'cleveragents/plan-y')),
  },
  {
    name: 'another folder for hooks',
    kind: 'changed-setting',
    make: async (bench) => {
      await bench.plan();
      await bench.git('config', 'core.hooksPath', '.husky');
    },
  },
  {
    name: 'a hook that was not there',
    kind: 'changed-hook',
    make: async (bench) => {
      await bench.plan();
      mkdirSync(join(bench.common, 'hooks'), { recursive: true });
      writeFileSync(join(bench.common, 'hooks/post-commit'), '#!/bin/sh\n');
      chmodSync(join(bench.common, 'hooks/post-commit'), 0o755);
    },
    solve: async ({ common }) => remove(join(common, 'hooks/post-commit')),
  },
  {
    name: 'a journal that cannot be read',
    kind: 'damaged-journal',
    make: async ({ common }) => {
      const journal = openJournal(join(common, 'cleveragents/journal'));
      const { id } = await journal.begin('add-worktree', {});
      writeFileSync(join(journal.directory, id, 'intent.json'), '{');
    },
    solve: async ({ common }) => remove(join(common, 'cleveragents/journal')),
  },
  {
    name: 'the record of a checkpoint that was cut off',
    kind: 'checkpoint-unreadable',
    make: async ({ common }) => {
      const folder = join(common, 'cleveragents/checkpoints/x-0123456789ab');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, '01ARZ3NDEKTSV4RRFFQ69G5FAV.json'), '{');
    },
    solve: async ({ common }) => remove(join(common, 'cleveragents/checkpoints/x-0123456789ab')),
  },
  {
    name: 'another folder in the place of a sandbox',
    kind: 'sandbox-unproven',
    make: async (bench) => {
      const { path, gitDirectory } = sandboxOf(await bench.plan());
      remove(gitDirectory);
      rmSync(path, { recursive: true });
      mkdirSync(path);
      writeFileSync(join(path, 'somebody.txt'), 'else\n');
    },
    solve: async (bench) => {
      const { plans } = await bench.open();
      const { path } = sandboxOf(await plans.show('x'));
      renameSync(path, join(bench.stateFolder, 'moved away'));
      await plans.cleanup('x');
    },
  },
];

/** The first words are git or rm: programs, no shell. */
async function type(command: readonly string[] | null, { root }: DoctorBench): Promise<void> {
  const [program = '', ...args] = command ?? [];
  await run(program, args, { cwd: root, env: hermeticGitEnvironment() });
}

describe('what only people can judge', () => {
  it.each(RIDDLES)('is found, explained and left alone: $name', async ({ kind, make, solve }) => {
    const bench = await DoctorBench.repository();
    await bench.open();
    await make(bench);
    const before = await bench.pictures();
    const { doctor } = await bench.open();
    const { findings, repairs } = await doctor.repair(bench.project.resource);
    expect(findings).toMatchObject([{ kind, severity: 'problem', repair: { by: 'you' } }]);
    expect(repairs).toEqual([]);
    (await bench.pictures()).forEach((after, at) => expectUnchanged(before[at] as never, after));

    const [finding] = findings;
    if (solve !== undefined) await solve(bench);
    else if (finding?.repair.by === 'you') await type(finding.repair.command, bench);
    const later = await (await bench.open()).doctor.examine(bench.project.resource);
    expect(later.findings).toEqual([]);
  });
});

describe('what is at work', () => {
  it('is no finding: a lock that is held, the plan under it, an operation that goes on', async () => {
    const bench = await DoctorBench.repository();
    await bench.plan('x', {});
    bench.rewriteRecord('x', (record) => ({
      ...record,
      sandbox: { status: 'pending', sandboxId: record.sandbox.sandboxId },
    }));
    const journal = openJournal(join(bench.common, 'cleveragents/journal'));
    const entry = await journal.begin('remove-worktree', { path: '/elsewhere' });
    const lock = bench.recordFile().replace(/json$/, 'lock');
    const found = await withDirectoryLock(lock, async () =>
      (await bench.open()).doctor.repair(bench.project.resource),
    );
    expect(found).toMatchObject({ findings: [], repairs: [] });
    await entry.complete();
  });

  it('is a note while it is young: a lock of git’s', async () => {
    const bench = await DoctorBench.repository();
    writeFileSync(join(bench.common, 'index.lock'), '');
    const { doctor } = await bench.open();
    const { findings } = await doctor.examine(bench.project.resource);
    expect(findings).toMatchObject([{ kind: 'foreign-lock', severity: 'note' }]);
  });

  it('keeps its sandbox: a command that still runs in a plan whose record is old', async () => {
    const bench = await DoctorBench.repository();
    const plan = await bench.plan();
    const { plans, doctor } = await bench.open();
    const report = await plans.execute('x', {
      label: 'npm test',
      run: async () => {
        bench.rewriteRecord('x', (record) => ({
          ...record,
          status: 'closed',
          sandbox: { ...record.sandbox, status: 'cleaned_up', rescueRefs: [] },
        }));
        const result = await doctor.repair(bench.project.resource);
        writeFileSync(bench.recordFile(), JSON.stringify(plan));
        return result;
      },
    });
    expect(report.repairs).toMatchObject([{ outcome: 'failed' }]);
    expect(report.repairs[0]?.detail).toContain('npm test');
    expect(await bench.changedPaths()).toEqual(['work.txt']);
  });
});

describe('a repair that is refused', () => {
  it('stops no other, and says why', async () => {
    const bench = await DoctorBench.repository();
    const { path } = sandboxOf(await bench.plan());
    remove(join(path, '.git'));
    const copy = `${path}.copy`;
    renameSync(path, copy);
    mkdirSync(path);
    writeFileSync(join(path, 'somebody.txt'), 'else\n');
    await bench.git('update-ref', 'refs/cleveragents/sandbox/y-0123456789ab/base', 'HEAD');
    const { doctor } = await bench.open();
    const { repairs, findings } = await doctor.repair(bench.project.resource);
    expect(repairs.map(({ finding: { kind }, outcome }) => [kind, outcome])).toEqual([
      ['orphan-ref', 'repaired'],
      ['sandbox-detached', 'failed'],
    ]);
    expect(findings.map(({ kind }) => kind)).toEqual(['sandbox-detached']);
  });

  it('is that of an operation which another version began', async () => {
    const bench = await DoctorBench.repository();
    await bench.open();
    const journal = openJournal(join(bench.common, 'cleveragents/journal'));
    await journal.begin('no-such-operation', { path: '/elsewhere' });
    killJournal(journal.directory);
    const { repairs, findings } = await (await bench.open()).doctor.repair(bench.project.resource);
    expect(repairs).toMatchObject([{ outcome: 'failed' }]);
    expect(repairs[0]?.detail).toContain('Another version began an operation "no-such-operation"');
    expect(findings).toMatchObject([{ kind: 'unfinished-operation', subject: '/elsewhere' }]);
  });
});

describe('a store of checkpoints over its budget', () => {
  it('is relieved of what plans that are over have left', async () => {
    const bench = await DoctorBench.repository({ storeBudgetBytes: 64 * 1024 });
    const noise = Array.from({ length: 30_000 }, (_, at) => Math.sin(at).toString(36)).join('');
    await bench.plan('x', { 'noise.txt': noise });
    const { checkpoints, plans } = await bench.open();
    await checkpoints.captureCheckpoint({ planId: 'x', reason: 'test' });
    await plans.cleanup('x');
    const { doctor } = await bench.open();
    const before = await doctor.examine(bench.project.resource);
    expect(before.findings.map(({ kind }) => kind)).toEqual(['store-over-budget']);
    const { repairs, findings, kept } = await doctor.repair(bench.project.resource);
    expect(repairs).toMatchObject([{ outcome: 'repaired' }]);
    expect(findings).toEqual([]);
    expect(kept).toMatchObject([{ planId: 'x' }]);
  });

  it('stays a problem where open plans need it all', async () => {
    const bench = await DoctorBench.repository({ storeBudgetBytes: 0 });
    await bench.plan();
    const { checkpoints, doctor } = await bench.open();
    await checkpoints.captureCheckpoint({ planId: 'x', reason: 'test' });
    const { repairs, findings } = await doctor.repair(bench.project.resource);
    expect(repairs).toMatchObject([{ outcome: 'failed' }]);
    expect(findings).toMatchObject([{ kind: 'store-over-budget', severity: 'problem' }]);
    expect(await checkpoints.listCheckpoints('x')).toHaveLength(1);
  });
});
