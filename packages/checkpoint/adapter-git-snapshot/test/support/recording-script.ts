// Rolls back while every call of node:fs that opens, reads or changes a file is recorded; prints the paths of the sandbox.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { PLAN, serviceFor } from './plan-on-disk.ts';

const [root = '', storePath = ''] = process.argv.slice(2);
const seen = new Set<string>();
const LOOKING_ONLY = new Set(['lstatSync', 'statSync', 'existsSync', 'realpathSync', 'readdirSync']);
const realpath = fs.realpathSync;

function record(address: unknown): void {
  if (typeof address !== 'string') return;
  let path = address;
  try {
    path = join(realpath(dirname(address)), basename(address));
  } catch {
    return; // nothing there to open
  }
  if (path.startsWith(`${root}/`)) seen.add(path.slice(root.length + 1));
}

const table = fs as unknown as Record<string, unknown>;
for (const [name, original] of Object.entries(table)) {
  if (
    typeof original !== 'function' ||
    LOOKING_ONLY.has(name) ||
    !/Sync$|^create|^open$|^readFile$/.test(name)
  )
    continue;
  table[name] = (...parameters: unknown[]): unknown => {
    record(parameters[0]);
    return (original as (...all: unknown[]) => unknown)(...parameters);
  };
}
syncBuiltinESMExports();

const service = serviceFor(new GitSnapshotStore({ path: storePath, durability: 'process' }), root);
const { checkpoint } = await service.captureCheckpoint({ planId: PLAN });
fs.writeFileSync(join(root, 'held'), 'new');
fs.writeFileSync(join(root, 'made'), 'new');
const { keptFiles } = await service.rollbackToCheckpoint(PLAN, checkpoint.checkpointId);
console.log(JSON.stringify({ seen: [...seen].sort(), kept: keptFiles.map(({ path }) => path) }));
