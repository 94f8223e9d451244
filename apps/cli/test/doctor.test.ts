import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import type { Finding } from '@cleveragents/sandbox-domain';
import { openJournal } from '@cleveragents/shared-adapter-fs';
import { expectUnchanged } from '@cleveragents/shared-testing';
import {
  type BenchOptions,
  deadMark,
  DoctorBench,
  killJournal,
  leaveGitLock,
  leaveLockFolder,
  remove,
  sandboxOf,
} from './support/doctor-bench.ts';

const OLD = '20260101T000000000Z';

/** One way in which a project gets damaged, and what must be so once the doctor was there. */
interface Damage {
  readonly name: string;
  /** Kinds that are found, all of them. */
  readonly kinds: readonly string[];
  readonly make: (bench: DoctorBench) => Promise<void>;
  readonly afterwards?: (bench: DoctorBench) => Promise<void>;
  readonly options?: BenchOptions;
}

async function expectWork(bench: DoctorBench): Promise<void> {
  expect(await bench.changedPaths()).toEqual(['work.txt']);
}

/** The work of plan `x` is on a rescue ref, and `plan restore` brings it back. */
async function expectRescued(bench: DoctorBench): Promise<void> {
  const { plans } = await bench.open();
  expect(await plans.listRescued('x')).toHaveLength(1);
  await plans.restore('x');
  await expectWork(bench);
}

/** A commit that no branch has. */
async function looseCommit(bench: DoctorBench): Promise<string> {
  const tree = await bench.git('rev-parse', 'HEAD^{tree}');
  return bench.git('commit-tree', '-p', 'HEAD', '-m', 'loose', tree);
}

async function closedPlan(bench: DoctorBench): Promise<void> {
  await bench.plan('x', {});
  await (await bench.open()).plans.cleanup('x');
}

const REPOSITORY_DAMAGES: readonly Damage[] = [
  {
    name: 'the folder of a sandbox that a cleaner took',
    kinds: ['sandbox-missing'],
    make: async (bench) => {
      const { path } = sandboxOf(await bench.plan());
      writeFileSync(join(path, 'committed.txt'), 'kept\n');
      await bench.git('-C', path, 'add', '.');
      await bench.git('-C', path, 'commit', '-qm', 'by the agent');
      remove(path);
    },
    afterwards: async (bench) => {
      const { plans } = await bench.open();
      await plans.restore('x');
      expect(await bench.changedPaths()).toEqual(['committed.txt', 'work.txt']);
    },
  },
  {
    name: 'a sandbox whose admin folder is gone',
    kinds: ['sandbox-detached'],
    make: async (bench) => remove(sandboxOf(await bench.plan()).gitDirectory),
    afterwards: expectWork,
  },
  {
    name: 'a sandbox whose pointer is gone',
    kinds: ['sandbox-detached'],
    make: async (bench) => remove(join(sandboxOf(await bench.plan()).path, '.git')),
    afterwards: expectWork,
  },
  {
    name: 'a sandbox whose plan record is gone',
    kinds: ['orphan-sandbox'],
    make: async (bench) => {
      await bench.plan();
      remove(bench.recordFile());
    },
    afterwards: expectWork,
  },
  {
    name: 'a sandbox of which admin folder and plan record are gone',
    kinds: ['sandbox-detached'],
    make: async (bench) => {
      remove(sandboxOf(await bench.plan()).gitDirectory);
      remove(bench.recordFile());
    },
    afterwards: expectWork,
  },
  {
    name: 'what git keeps of a sandbox whose folder and plan record are gone',
    kinds: ['orphan-sandbox'],
    make: async (bench) => {
      remove(sandboxOf(await bench.plan()).path);
      remove(bench.recordFile());
    },
  },
  {
    name: 'a plan record that was cut off',
    kinds: ['plan-unreadable'],
    make: async (bench) => {
      await bench.plan();
      writeFileSync(bench.recordFile(), '{"schemaVersion": 1');
    },
    afterwards: expectWork,
  },
  {
    name: 'a sandbox that its plan has given up',
    kinds: ['orphan-sandbox'],
    make: async (bench) => {
      await bench.plan();
      bench.rewriteRecord('x', (record) => ({
        ...record,
        status: 'closed',
        sandbox: { ...record.sandbox, status: 'cleaned_up', rescueRefs: [] },
      }));
    },
    afterwards: expectRescued,
  },
  {
    name: 'a sandbox whose making was never written down',
    kinds: ['sandbox-unfinished'],
    make: async (bench) => {
      await bench.plan('x', {});
      bench.rewriteRecord('x', (record) => ({
        ...record,
        sandbox: { status: 'pending', sandboxId: record.sandbox.sandboxId },
      }));
    },
    afterwards: async (bench) => void (await bench.plan()),
  },
  {
    name: 'an apply whose clean-up was cut short',
    kinds: ['sandbox-half-removed'],
    make: async (bench) => {
      await bench.plan();
      await (await bench.open()).plans.apply('x', { keepSandbox: true });
      bench.rewriteRecord('x', ({ history, ...record }) => ({
        ...record,
        history: history.map((event) => ({ ...event, data: { ...event.data, cleansUp: true } })),
      }));
    },
    afterwards: async (bench) => {
      const { plans } = await bench.open();
      await plans.rollback('x');
      expect(readdirSync(bench.root)).not.toContain('work.txt');
    },
  },
  {
    name: 'a branch of a plan that is over, with commits that are nowhere else',
    kinds: ['orphan-branch'],
    make: async (bench) => {
      await closedPlan(bench);
      await bench.git('branch', 'cleveragents/plan-x', await looseCommit(bench));
    },
    afterwards: async (bench) => {
      const [kept] = await (await bench.open()).plans.listRescued('x');
      expect(await bench.git('log', '-1', '--format=%s', kept?.ref ?? '')).toBe('loose');
    },
  },
  {
    name: 'a branch of nobody, whose commits your branch has',
    kinds: ['orphan-branch'],
    make: async (bench) => void (await bench.git('branch', 'cleveragents/plan-y')),
  },
  {
    name: 'the note of a sandbox that is gone',
    kinds: ['orphan-ref'],
    make: async (bench) =>
      void (await bench.git('update-ref', 'refs/cleveragents/sandbox/y-0123456789ab/base', 'HEAD')),
  },
  {
    name: 'the making of a worktree that was cut short',
    kinds: ['unfinished-operation'],
    make: async (bench) => {
      const path = join(bench.stateFolder, 'sandboxes', 'half');
      const journal = openJournal(join(bench.common, 'cleveragents/journal'));
      const commit = await bench.git('rev-parse', 'HEAD');
      const branch = 'refs/heads/cleveragents/plan-y';
      const entry = await journal.begin('add-worktree', { path, branch, commit });
      await entry.record({ step: 'folder' });
      mkdirSync(path, { recursive: true });
      killJournal(journal.directory);
    },
    afterwards: async (bench) => expect(readdirSync(join(bench.stateFolder, 'sandboxes'))).toEqual([]),
  },
  {
    name: 'git locks that a dead process of ours left',
    kinds: ['stale-lock', 'stale-lock', 'stale-lock'],
    make: async ({ common }) => {
      leaveGitLock(join(common, 'index.lock'));
      leaveGitLock(join(common, 'HEAD.lock'));
      leaveGitLock(join(common, 'refs/heads/feature/x.lock'));
    },
    afterwards: async (bench) => void (await bench.git('add', '.')),
  },
  {
    name: 'locks of ours that a dead process left',
    kinds: ['stale-lock', 'stale-lock', 'stale-lock', 'stale-lock'],
    make: async ({ common }) => {
      leaveLockFolder(join(common, 'cleveragents/apply.lock'));
      leaveLockFolder(join(common, 'cleveragents/plans/y-0123456789ab.lock'));
      leaveLockFolder(join(common, 'cleveragents/checkpoints.git.lock'));
      leaveLockFolder(join(common, 'cleveragents/checkpoints/y-0123456789ab.lock'));
    },
  },
  {
    name: 'a repository that an agent declared bare',
    kinds: ['changed-setting'],
    make: async (bench) => {
      await bench.plan();
      await bench.git('config', 'core.bare', 'true');
    },
    afterwards: async (bench) => {
      expect(await bench.git('status', '--porcelain')).toBe('');
      await expectWork(bench);
    },
  },
  {
    name: 'a work tree that an agent led elsewhere',
    kinds: ['changed-setting'],
    make: async (bench) => {
      await bench.plan();
      await bench.git('config', 'core.worktree', bench.stateFolder);
    },
    afterwards: async (bench) => expect(await bench.git('status', '--porcelain')).toBe(''),
  },
  {
    name: 'saved work that was kept for long enough',
    kinds: ['expired-rescue'],
    make: async (bench) =>
      void (await bench.git('update-ref', `refs/cleveragents/rescue/y-0123456789ab/${OLD}`, 'HEAD')),
  },
  {
    name: 'snapshots whose checkpoints were removed by hand',
    kinds: ['snapshots-forgotten'],
    make: async (bench) => {
      await bench.plan();
      await bench.plan('y');
      const { checkpoints } = await bench.open();
      await checkpoints.captureCheckpoint({ planId: 'x', reason: 'removed' });
      await checkpoints.captureCheckpoint({ planId: 'y', reason: 'stays' });
      const folder = join(bench.common, 'cleveragents/checkpoints');
      remove(join(folder, String(readdirSync(folder).find((name) => name.startsWith('x-')))));
    },
    afterwards: async (bench) => {
      const { checkpoints } = await bench.open();
      const [checkpoint] = await checkpoints.listCheckpoints('y');
      await checkpoints.rollbackToCheckpoint('y', String(checkpoint?.checkpointId));
    },
  },
  {
    name: 'a snapshot that no checkpoint names',
    kinds: ['snapshot-abandoned'],
    make: async (bench) => {
      const { path } = sandboxOf(await bench.plan());
      const store = join(bench.common, 'cleveragents/checkpoints.git');
      const { ref } = await new GitSnapshotStore({ path: store }).capture(path, { claimant: 'x' });
      const note = join(store, 'unclaimed', ref);
      const { claimant } = JSON.parse(readFileSync(note, 'utf8')) as { claimant: string };
      writeFileSync(note, JSON.stringify({ claimant, maker: deadMark() }));
    },
    afterwards: expectWork,
  },
];

const FOLDER_DAMAGES: readonly Damage[] = [
  {
    name: 'the folder of a copy that a cleaner took',
    kinds: ['sandbox-missing'],
    make: async (bench) => remove(sandboxOf(await bench.plan()).path),
    afterwards: async (bench) => void (await bench.plan()),
  },
  {
    name: 'a copy whose plan record is gone',
    kinds: ['orphan-sandbox'],
    make: async (bench) => {
      await bench.plan();
      remove(bench.recordFile());
    },
    afterwards: expectWork,
  },
  {
    name: 'a plan record that was cut off',
    kinds: ['plan-unreadable'],
    make: async (bench) => {
      await bench.plan();
      writeFileSync(bench.recordFile(), '');
    },
    afterwards: expectWork,
  },
  {
    name: 'a copy that its plan has given up',
    kinds: ['orphan-sandbox'],
    make: async (bench) => {
      await bench.plan();
      bench.rewriteRecord('x', (record) => ({
        ...record,
        status: 'closed',
        sandbox: { ...record.sandbox, status: 'cleaned_up', rescueRefs: [] },
      }));
    },
    afterwards: expectRescued,
  },
  {
    name: 'a copy that was never finished',
    kinds: ['orphan-sandbox'],
    make: async (bench) => {
      await bench.plan();
      const folder = await stateOf(bench);
      const sandboxPath = join(bench.stateFolder, 'sandboxes/ca-sandbox-half');
      mkdirSync(sandboxPath);
      mkdirSync(join(folder, 'sandboxes/half'));
      const place = { sandboxPath, maker: deadMark(), isMade: false };
      writeFileSync(join(folder, 'sandboxes/half/place.json'), JSON.stringify(place));
    },
    afterwards: async (bench) => {
      expect(readdirSync(join(bench.stateFolder, 'sandboxes'))).not.toContain('ca-sandbox-half');
      await expectWork(bench);
    },
  },
  {
    name: 'an exchange of files that was cut short before it took any',
    kinds: ['unfinished-operation'],
    make: async (bench) => {
      await bench.plan();
      const journal = openJournal(join(await stateOf(bench), 'journal'));
      const staging = join(bench.root, '.cleveragents-staging-01234567');
      const intent = { root: bench.root, staging, steps: [], renames: false, discards: [] };
      await journal.begin('file-copy-exchange', intent);
      killJournal(journal.directory);
    },
    afterwards: expectWork,
  },
  {
    name: 'a lock of ours that a dead process left',
    kinds: ['stale-lock'],
    make: async (bench) => {
      await bench.plan();
      leaveLockFolder(join(await stateOf(bench), 'apply.lock'));
    },
    afterwards: expectWork,
  },
  {
    name: 'saved work that was kept for long enough',
    kinds: ['expired-rescue'],
    make: async (bench) => {
      await bench.plan();
      mkdirSync(join(await stateOf(bench), 'rescued/y-0123456789ab', OLD), { recursive: true });
    },
  },
];

/** Where what is kept of the copies of the one project lies. */
async function stateOf({ stateFolder }: DoctorBench): Promise<string> {
  const folder = join(stateFolder, 'file-copies');
  return join(folder, readdirSync(folder)[0] ?? '');
}

function kindsOf(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ kind }) => kind);
}

function expectExplained(findings: readonly Finding[]): void {
  for (const { problem, meaning, repair, subject } of findings)
    for (const text of [subject, problem, meaning, repair.does]) expect(text).not.toBe('');
}

/** Finds and explains it without a write, repairs it, finds it no more, and has nothing to do the second time. */
async function heal(bench: DoctorBench, { kinds, make, afterwards }: Damage): Promise<void> {
  await bench.open();
  await make(bench);
  const before = await bench.pictures();
  const { findings } = await (await bench.open()).doctor.examine(bench.project.resource);
  (await bench.pictures()).forEach((after, at) => expectUnchanged(before[at] as never, after));
  expect(kindsOf(findings)).toEqual(kinds);
  expectExplained(findings);

  const { resource } = bench.project;
  const report = await (await bench.open()).doctor.repair(resource);
  expect(report.repairs.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  expect(report.findings).toEqual([]);

  const repaired = await bench.pictures();
  const again = await (await bench.open()).doctor.repair(bench.project.resource);
  expect(again).toMatchObject({ findings: [], repairs: [] });
  (await bench.pictures()).forEach((after, at) => expectUnchanged(repaired[at] as never, after));
  await afterwards?.(bench);
}

describe('the doctor, in a repository', () => {
  it.each(REPOSITORY_DAMAGES)('finds, explains and repairs $name', async (damage) => {
    const bench = await DoctorBench.repository(damage.options);
    await heal(bench, damage);
    expect(await bench.git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(await bench.git('worktree', 'prune', '--dry-run')).toBe('');
  });

  it.each(REPOSITORY_DAMAGES.filter(({ kinds }) => /detached|setting|missing/.test(kinds.join())))(
    'does so with the installed git too: $name',
    async (damage) => heal(await DoctorBench.repository({ engine: 'native' }), damage),
  );
});

describe('the doctor, in a folder that is no repository', () => {
  it.each(FOLDER_DAMAGES)('finds, explains and repairs $name', async (damage) => {
    await heal(DoctorBench.folder(), damage);
  });
});

describe('the doctor', () => {
  it.each([
    ['a repository', () => DoctorBench.repository()],
    ['a folder', async () => DoctorBench.folder()],
  ])('finds %s without any plan healthy, and makes nothing', async (_what, make) => {
    const bench = await make();
    const before = await bench.pictures();
    const { doctor } = await bench.open();
    expect(await doctor.examine(bench.project.resource)).toEqual({ findings: [], kept: [] });
    (await bench.pictures()).forEach((after, at) => expectUnchanged(before[at] as never, after));
  });
});
