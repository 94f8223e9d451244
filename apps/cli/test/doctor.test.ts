import { describe, expect, it } from '@jest/globals';
import type { Finding } from '@cleveragents/sandbox-domain';
import { expectUnchanged } from '@cleveragents/shared-testing';
import type { Damage } from './support/damage.ts';
import { DoctorBench } from './support/doctor-bench.ts';
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
});
