import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '@cleveragents/sandbox-domain';
import { expectUnchanged } from '@cleveragents/shared-testing';
import type { Damage } from './support/damage.ts';
import { DoctorBench, remove, sandboxOf } from './support/doctor-bench.ts';
import { FOLDER_DAMAGES } from './support/folder-damages.ts';
import { REPOSITORY_DAMAGES } from './support/repository-damages.ts';

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

  it.each([
    ['a repository', () => DoctorBench.repository(), { 'work.txt': 'work\n' }],
    ['a repository, to which there was nothing to apply', () => DoctorBench.repository(), {}],
    ['a folder', async () => DoctorBench.folder(), { 'work.txt': 'work\n' }],
  ])('finds a plan of %s healthy that was applied, and so cleaned up, and rolled back', async (...scene) => {
    const [_what, make, files] = scene;
    const bench = await make();
    await bench.plan('x', files);
    const { plans } = await bench.open();
    await plans.apply('x');
    await plans.rollback('x');
    const { doctor } = await bench.open();
    expect((await doctor.examine(bench.project.resource)).findings).toEqual([]);
  });

  const SNAPSHOT_DAMAGES: readonly (readonly [string, string, (store: string, ref: string) => void])[] = [
    [
      'whose ref is gone',
      'snapshot-missing',
      (store, ref) => {
        remove(join(store, 'refs/snapshots', ref));
      },
    ],
    [
      'whose ref is empty',
      'snapshot-missing',
      (store, ref) => {
        truncateSync(join(store, 'refs/snapshots', ref));
      },
    ],
    ['whose commit is gone', 'snapshot-damaged', (store, ref) => removeObject(store, refOf(store, ref))],
    [
      'of which a file is gone',
      'snapshot-damaged',
      (store) => removeObject(store, blobIdOf('only in the first\n')),
    ],
    [
      'of which a file was emptied',
      'snapshot-damaged',
      (store) => {
        const path = objectPath(store, blobIdOf('only in the first\n'));
        chmodSync(path, 0o600);
        truncateSync(path);
      },
    ],
  ];

  it.each(SNAPSHOT_DAMAGES)(
    'names a checkpoint %s, which nobody can repair, and others work on',
    async (_what, kind, damage) => {
      const bench = await DoctorBench.repository();
      const { path } = sandboxOf(await bench.plan());
      const { checkpoints } = await bench.open();
      writeFileSync(join(path, 'a.txt'), 'only in the first\n');
      const { checkpoint: first } = await checkpoints.captureCheckpoint({ planId: 'x' });
      writeFileSync(join(path, 'a.txt'), 'in the second\n');
      const { checkpoint: second } = await checkpoints.captureCheckpoint({ planId: 'x' });
      damage(join(bench.common, 'cleveragents/checkpoints.git'), first.sandboxRef);

      const { doctor, checkpoints: anew } = await bench.open();
      const { findings } = await doctor.examine(bench.project.resource);
      expect(findings).toMatchObject([
        {
          kind,
          subject: first.checkpointId,
          planId: 'x',
          repair: { by: 'you', command: ['cleveragents', 'checkpoint', 'delete', first.checkpointId] },
        },
      ]);
      expectExplained(findings);

      await anew.captureCheckpoint({ planId: 'x' });
      await anew.rollbackToCheckpoint('x', second.checkpointId);
      await anew.pruneCheckpoints('x');
      await anew.deleteCheckpoint(first.checkpointId);
      const healed = await (await bench.open()).doctor.examine(bench.project.resource);
      expect(healed.findings).toEqual([]);
    },
  );
});

const blobIdOf = (text: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex');

const objectPath = (store: string, id: string): string => join(store, 'objects', id.slice(0, 2), id.slice(2));

const refOf = (store: string, ref: string): string =>
  readFileSync(join(store, 'refs/snapshots', ref), 'utf8').trim();

function removeObject(store: string, id: string): void {
  remove(objectPath(store, id));
}
