// One operation of the store, to be struck at every call that changes a file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { planRestore } from '@cleveragents/checkpoint-domain';

const [operation = '', root = '', storePath = '', target = '', safety = ''] = process.argv.slice(2);
const store = new GitSnapshotStore({ path: storePath });

if (operation === 'capture') {
  await store.capture(root, { claimant: 'the plan' });
} else if (operation === 'restore') {
  const plan = planRestore({
    differences: await store.diff(safety, target),
    uncoveredNow: await store.uncovered(safety),
    uncoveredThen: await store.uncovered(target),
  });
  await store.restore(root, plan);
} else await store.release([target], { reclaim: 'now' });
writeFileSync(join(storePath, '..', 'finished'), '');
