import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { hasCode } from '@cleveragents/shared-kernel';
import { expectUnchanged, forEachFaultPoint, hermeticGitEnvironment } from '@cleveragents/shared-testing';
import { DoctorBench } from './support/doctor-bench.ts';

const SCRIPT = new URL('./support/plan-call-script.ts', import.meta.url);

/** In the project, in the sandbox, or saved: wherever it is, it is not lost. */
async function isWorkThere(bench: DoctorBench): Promise<boolean> {
  if (existsSync(join(bench.root, 'work.txt'))) return true;
  const { plans } = await bench.open();
  if ((await plans.listRescued('x')).length > 0) return true;
  try {
    return (await plans.changes('x')).files.some(({ path }) => path === 'work.txt');
  } catch (error) {
    if (hasCode(error, 'PLAN_WITHOUT_SANDBOX', 'SANDBOX_BROKEN')) return false;
    throw error;
  }
}

/** Whatever the dead left: found without a write, repaired, found no more; and real git agrees. */
async function heals(bench: DoctorBench): Promise<void> {
  await bench.open();
  const before = await bench.pictures();
  const { doctor } = await bench.open();
  await doctor.examine(bench.project.resource);
  (await bench.pictures()).forEach((after, at) => expectUnchanged(before[at] as never, after));

  const { findings, repairs } = await doctor.repair(bench.project.resource);
  expect(findings).toEqual([]);
  expect(repairs.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  const again = await (await bench.open()).doctor.repair(bench.project.resource);
  expect(again).toMatchObject({ findings: [], repairs: [] });
  if (!existsSync(bench.common)) return;
  expect(await bench.git('fsck', '--strict', '--no-dangling')).toBe('');
  expect(await bench.git('worktree', 'prune', '--dry-run')).toBe('');
}

describe.each([
  ['a repository', () => DoctorBench.repository()],
  ['a folder', async () => DoctorBench.folder()],
])('after a process died in %s', (_what, make) => {
  it.each(['create', 'apply', 'cleanup'])(
    'in the middle of %s, the doctor heals what it left, and the work is there',
    async (call) => {
      await forEachFaultPoint({
        script: SCRIPT,
        kinds: ['kill-before'],
        sample: 6,
        prepare: async () => {
          const bench = await make();
          if (call !== 'create') await bench.plan();
          return bench;
        },
        scene: ({ root, stateFolder }) => ({
          arguments: [root, stateFolder, call],
          roots: [root, stateFolder],
          environment: hermeticGitEnvironment() as Record<string, string>,
        }),
        verify: async (bench) => {
          await heals(bench);
          if (call !== 'create') expect(await isWorkThere(bench)).toBe(true);
        },
      });
    },
    120_000,
  );
});
