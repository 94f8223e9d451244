// Run as a user without special rights: what cannot be read is named, and a closed directory is no obstacle.
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { planRestore } from '@cleveragents/checkpoint-domain';

const [folder = ''] = process.argv.slice(2);
const root = join(folder, 'tree');
const at = (path: string): string => join(root, path);
const store = new GitSnapshotStore({ path: join(folder, 'store.git'), durability: 'process' });

mkdirSync(at('locked'), { recursive: true });
mkdirSync(at('closed'));
for (const path of ['a', 'locked/file', 'closed/file', 'secret']) writeFileSync(at(path), 'old');
chmodSync(at('locked'), 0o500);
chmodSync(at('closed'), 0);
chmodSync(at('secret'), 0);
const target = await store.capture(root);
writeFileSync(at('a'), 'new');
writeFileSync(at('locked/file'), 'new');
const safety = await store.capture(root);
const plan = planRestore({
  differences: await store.diff(safety.ref, target.ref),
  uncoveredNow: safety.uncovered,
  uncoveredThen: target.uncovered,
});
await store.restore(root, plan);
const mode = (statSync(at('locked')).mode & 0o777).toString(8);
console.log(
  JSON.stringify({
    uncovered: safety.uncovered,
    restored: readFileSync(at('a'), 'utf8'),
    locked: `${readFileSync(at('locked/file'), 'utf8')} ${mode}`,
  }),
);
