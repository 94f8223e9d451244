import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
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
import { InMemoryCheckpointRepository } from '@cleveragents/checkpoint-adapter-memory';
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

const inStore = (storePath: string, ending: RegExp): readonly string[] =>
  readdirSync(join(storePath, 'objects'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

/** To few files there are single objects, to many a pack. */
const NEWEST_DAMAGES: Readonly<
  Record<string, { readonly fileCount: number; readonly damage: (storePath: string) => void }>
> = {
  'all objects are gone': {
    fileCount: 3,
    damage: (storePath) => {
      inStore(storePath, /^[0-9a-f]{38}$/).forEach((path) => rmSync(path));
    },
  },
  ...Object.fromEntries(
    ['idx', 'pack'].flatMap((ending) =>
      Object.entries({
        ...DAMAGES,
        'is cut in half': (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2)),
      }).map(([what, damage]) => [
        `the .${ending} ${what}`,
        {
          fileCount: 30,
          damage: (storePath: string) => {
            for (const path of inStore(storePath, new RegExp(`\\.${ending}$`))) {
              chmodSync(path, 0o600);
              damage(path);
            }
          },
        },
      ]),
    ),
  ),
};

it.each(Object.keys(NEWEST_DAMAGES))(
  'a store goes on, and lets go of its newest snapshot, of which %s',
  async (what) => {
    const { fileCount = 0, damage } = NEWEST_DAMAGES[what] ?? {};
    await using root = temporaryDirectory();
    await using stores = temporaryDirectory();
    for (let number = 0; number < fileCount; number++)
      writeFileSync(join(root.path, `file-${number}`), `content ${number}`);
    const storePath = join(stores.path, 'store.git');
    const open = (): GitSnapshotStore => new GitSnapshotStore({ path: storePath, durability: 'process' });
    const repository = new InMemoryCheckpointRepository();
    const before = serviceFor(open(), root.path, repository);
    const { checkpoint: damaged } = await before.captureCheckpoint({ planId: PLAN });
    damage?.(storePath);

    const store = open();
    const service = serviceFor(store, root.path, repository);
    expect(store.inspection.damaged()).toMatchObject([{ ref: damaged.sandboxRef }]);
    await expect(service.rollbackToCheckpoint(PLAN, damaged.checkpointId)).rejects.toMatchObject({
      code: 'SNAPSHOT_STORE_CORRUPT',
    });
    const { checkpoint } = await service.captureCheckpoint({ planId: PLAN });
    for (let number = 0; number < fileCount; number++) rmSync(join(root.path, `file-${number}`));
    await service.rollbackToCheckpoint(PLAN, checkpoint.checkpointId);
    expect(readFileSync(join(root.path, 'file-1'), 'utf8')).toBe('content 1');
    expect(readdirSync(root.path)).toHaveLength(fileCount);
    await service.deleteCheckpoint(damaged.checkpointId);
    expect(open().inspection.damaged()).toEqual([]);
  },
);

it('a sweep leaves a pack alone of which it cannot read what is needed', async () => {
  await using root = temporaryDirectory();
  await using stores = temporaryDirectory();
  for (let number = 0; number < 30; number++)
    writeFileSync(join(root.path, `file-${number}`), `content ${number}`);
  const storePath = join(stores.path, 'store.git');
  const store = new GitSnapshotStore({ path: storePath, durability: 'process' });
  const service = serviceFor(store, root.path);
  const { checkpoint: first } = await service.captureCheckpoint({ planId: PLAN });
  for (let number = 0; number < 20; number++)
    writeFileSync(join(root.path, `file-${number}`), `changed ${number}`);
  const { checkpoint: second } = await service.captureCheckpoint({ planId: PLAN });
  spoilPacked(storePath, Buffer.from('content 29'));

  await service.deleteCheckpoint(first.checkpointId);

  rmSync(join(root.path, 'file-1'));
  rmSync(join(root.path, 'file-25'));
  const paths = ['file-1', 'file-25'];
  await service.rollbackToCheckpoint(PLAN, second.checkpointId, { paths });
  expect(paths.map((path) => readFileSync(join(root.path, path), 'utf8'))).toEqual([
    'changed 1',
    'content 25',
  ]);
});

/** Makes the object one of a kind that there is not. */
function spoilPacked(storePath: string, content: Buffer): void {
  for (const index of inStore(storePath, /\.idx$/)) {
    const listed = execFileSync('git', ['verify-pack', '-v', index], { encoding: 'utf8' });
    const offset = new RegExp(`^${blobIdOf(content)} .* (\\d+)$`, 'm').exec(listed)?.[1];
    if (offset === undefined) continue;
    const path = index.replace(/idx$/, 'pack');
    chmodSync(path, 0o600);
    const pack = readFileSync(path);
    pack[Number(offset)] = 0;
    writeFileSync(path, pack);
  }
}

const blobIdOf = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

function objectPath(storePath: string, content: Buffer): string {
  const id = blobIdOf(content);
  return join(storePath, 'objects', id.slice(0, 2), id.slice(2));
}
