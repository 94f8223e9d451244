import { expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { temporaryDirectory } from '@cleveragents/shared-testing';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { PLAN, serviceFor } from './support/plan-on-disk.ts';

const DAMAGES: Readonly<Record<string, (objectPath: string) => void>> = {
  'is missing': rmSync,
  'is cut off': (path) => {
    truncateSync(path, statSync(path).size - 6);
  },
  'is empty': (path) => {
    truncateSync(path, 0);
  },
  'is no zlib stream': (path) => {
    writeFileSync(path, randomBytes(500));
  },
  'holds other bytes': (path) => {
    writeFileSync(path, deflateSync('blob 5\0other'));
  },
};

/** Too large for a pack, and so dense that it is read piece by piece. */
const LARGE = randomBytes(700_000);
const ITEMS = {
  'a small file': { content: Buffer.from('as it was\n'), isLink: false },
  'a large file': { content: LARGE, isLink: false },
  'a link': { content: Buffer.from('where it led'), isLink: true },
} as const;
type Item = keyof typeof ITEMS;

const cases = (Object.keys(ITEMS) as Item[]).flatMap((item) =>
  Object.keys(DAMAGES).map((damage) => ({ item, damage })),
);

it.each(cases)(
  'a rollback that needs $item whose object $damage is refused before the first write',
  async ({ item, damage }) => {
    const { content, isLink } = ITEMS[item];
    await using root = temporaryDirectory();
    await using stores = temporaryDirectory();
    const path = join(root.path, 'it');
    if (isLink) symlinkSync(content, path);
    else writeFileSync(path, content);
    const storePath = join(stores.path, 'store.git');
    const service = serviceFor(new GitSnapshotStore({ path: storePath, durability: 'process' }), root.path);
    const { checkpoint } = await service.captureCheckpoint({ planId: PLAN });
    rmSync(path);
    writeFileSync(path, 'as it is now');
    const object = objectPath(storePath, content);
    chmodSync(object, 0o600);
    DAMAGES[damage]?.(object);

    const rollback = service.rollbackToCheckpoint(PLAN, checkpoint.checkpointId);

    await expect(rollback).rejects.toMatchObject({ code: 'SNAPSHOT_STORE_CORRUPT' });
    expect(readFileSync(path, 'utf8')).toBe('as it is now');
    expect(readdirSync(root.path)).toEqual(['it']);
    expect((await service.listCheckpoints(PLAN)).map(({ checkpointType }) => checkpointType)).toEqual([
      'manual',
    ]);
  },
);

function objectPath(storePath: string, content: Buffer): string {
  const id = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
  return join(storePath, 'objects', id.slice(0, 2), id.slice(2));
}
