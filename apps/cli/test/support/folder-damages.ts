import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { openJournal } from '@cleveragents/shared-adapter-fs';
import { type Damage, expectRescued, expectWork, OLD } from './damage.ts';
import {
  deadMark,
  type DoctorBench,
  killJournal,
  leaveLockFolder,
  remove,
  sandboxOf,
} from './doctor-bench.ts';

/** What can be wrong with the plans of a folder that is no repository. */
export const FOLDER_DAMAGES: readonly Damage[] = [
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
