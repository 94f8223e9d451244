import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { openJournal } from '@cleveragents/shared-adapter-fs';
import { type Damage, expectRescued, expectWork, OLD } from './damage.ts';
import {
  deadMark,
  type DoctorBench,
  killJournal,
  leaveGitLock,
  leaveLockFolder,
  remove,
  sandboxOf,
} from './doctor-bench.ts';

const STORE = 'cleveragents/checkpoints.git';

/** A commit that no branch has. */
async function looseCommit(bench: DoctorBench): Promise<string> {
  const tree = await bench.git('rev-parse', 'HEAD^{tree}');
  return bench.git('commit-tree', '-p', 'HEAD', '-m', 'loose', tree);
}

async function closedPlan(bench: DoctorBench): Promise<void> {
  await bench.plan('x', {});
  await (await bench.open()).plans.cleanup('x');
}

/** What can be wrong with the plans of a repository. */
export const REPOSITORY_DAMAGES: readonly Damage[] = [
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
    name: 'a branch of a plan that is over, whose commits your branch has',
    kinds: ['orphan-branch'],
    make: async (bench) => {
      await closedPlan(bench);
      await bench.git('branch', 'cleveragents/plan-x');
    },
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
  ...Object.entries({
    'are empty': '',
    'are no ids': 'nonsense\n',
    'lead nowhere': `${'1'.repeat(40)}\n`,
  }).map(([how, text]): Damage => ({
    name: `refs of snapshots that ${how}, and that no checkpoint names`,
    kinds: ['snapshots-forgotten'],
    make: async (bench) => {
      await bench.plan();
      const { checkpoints } = await bench.open();
      await checkpoints.captureCheckpoint({ planId: 'x' });
      writeFileSync(join(bench.common, STORE, 'refs/snapshots/01ARZ3NDEKTSV4RRFFQ6000000'), text);
    },
    afterwards: async (bench) => {
      expect(
        await bench.git('--git-dir', join(bench.common, STORE), 'fsck', '--strict', '--no-dangling'),
      ).toBe('');
      const { checkpoints } = await bench.open();
      const [checkpoint] = await checkpoints.listCheckpoints('x');
      await checkpoints.rollbackToCheckpoint('x', String(checkpoint?.checkpointId));
    },
  })),
  {
    name: 'refs that keep what snapshots borrowed, after somebody removed the store',
    kinds: ['keep-refs-left'],
    make: async (bench) => {
      await bench.plan();
      const { checkpoints } = await bench.open();
      await checkpoints.captureCheckpoint({ planId: 'x' });
      for (const name of ['checkpoints', 'checkpoints.git']) remove(join(bench.common, 'cleveragents', name));
    },
    afterwards: async (bench) => {
      expect(await bench.git('for-each-ref', 'refs/cleveragents/keep')).toBe('');
      const { checkpoints } = await bench.open();
      await checkpoints.captureCheckpoint({ planId: 'x' });
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
