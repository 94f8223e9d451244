import { once } from 'node:events';
import {
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LENT_FILE_PROGRAM, openRootedFileSystem } from '@cleveragents/shared-adapter-fs';
import type { LentFile, WalkEntry } from '@cleveragents/shared-kernel';
import { DiskRootedWorld } from '@cleveragents/shared-testing';

const WHOLE = { recursive: true, maxEntries: 10_000, maxDepth: 64 };
const ANSWERING = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ address, maxBytes }) => {
  const bytes = readLent(address, maxBytes);
  parentPort.postMessage(bytes && Uint8Array.prototype.slice.call(bytes));
});
`;

let world: DiskRootedWorld;
let thread: Worker;
beforeEach(async () => {
  world = await DiskRootedWorld.open(openRootedFileSystem);
  thread = new Worker(LENT_FILE_PROGRAM + ANSWERING, { eval: true, execArgv: [] });
});
afterEach(async () => {
  await thread.terminate();
  await world.remove();
});

async function readInThread({ address }: LentFile, maxBytes = 1e6): Promise<string | undefined> {
  thread.postMessage({ address, maxBytes });
  const [bytes] = (await once(thread, 'message')) as [Uint8Array | undefined];
  return bytes && Buffer.from(bytes).toString();
}

async function lendAll(): Promise<{ readonly path: string; readonly lent: LentFile }[]> {
  const all: { path: string; lent: LentFile }[] = [];
  await world.files.walk('.', WHOLE).each((entry: WalkEntry) => {
    const lent = entry.lend();
    if (lent !== undefined) all.push({ path: entry.path, lent });
  });
  return all;
}

/** How many descriptors of this process lead into the world. */
function held(): number {
  const links = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      // The one by which the folder was listed.
      return '';
    }
  });
  return links.filter((link) => link.startsWith(world.absolute('sandbox'))).length;
}

describe('a file that a walk lends', () => {
  it('is read by another thread as by the walk, whatever its size', async () => {
    const sizes = [0, 1, 65_535, 65_536, 65_537, 200_000, 5_000_000];
    for (const size of sizes) await world.plantFile(`sandbox/${size}`, 'x'.repeat(size));
    for (const { path, lent } of await lendAll())
      for (const maxBytes of [10, 65_536, 1e7])
        expect((await readInThread(lent, maxBytes))?.length).toBe(Math.min(Number(path), maxBytes));
  });

  it('is still the same when its directory has been swapped for a link that leads out', async () => {
    await world.plantFile('sandbox/dir/file', 'inside');
    await world.plantFile('outside/file', 'secret');
    const [file] = await lendAll();
    renameSync(world.absolute('sandbox/dir'), world.absolute('sandbox/moved'));
    symlinkSync('../outside', world.absolute('sandbox/dir'));
    expect(file?.path).toBe('dir/file');
    expect(file && (await readInThread(file.lent))).toBe('inside');
  });

  it('gives nothing once it is a link, a FIFO, a directory or gone', async () => {
    for (const name of ['link', 'fifo', 'directory', 'gone'])
      await world.plantFile(`sandbox/${name}`, 'inside');
    await world.plantFile('outside/secret', 'secret');
    const all = await lendAll();
    for (const { path } of all) unlinkSync(world.absolute(`sandbox/${path}`));
    await world.plantLink('sandbox/link', '../outside/secret');
    await world.plantFifo('sandbox/fifo');
    mkdirSync(world.absolute('sandbox/directory'));
    expect(all).toHaveLength(4);
    for (const { lent } of all) expect(await readInThread(lent)).toBeUndefined();
  });

  it('holds its directory until it is given back, once, and no longer', async () => {
    for (const path of ['a/x', 'a/y', 'b/z']) await world.plantFile(`sandbox/${path}`, path);
    const all = await lendAll();
    expect([all.length, held()]).toEqual([3, 2]);
    all[0]?.lent.release();
    all[0]?.lent.release();
    expect(held()).toBe(2);
    all[1]?.lent.release();
    expect(held()).toBe(1);
    expect(all[2] && (await readInThread(all[2].lent))).toBe('b/z');
    all[2]?.lent.release();
    expect(held()).toBe(0);
  });

  it('is no directory, no link, and none where paths are not pinned', async () => {
    await world.plantFile('sandbox/dir/file', 'x');
    await world.plantLink('sandbox/link', 'dir/file');
    expect((await lendAll()).map(({ path }) => path)).toEqual(['dir/file']);
    const checked = await openRootedFileSystem(world.absolute('sandbox'), { confinement: 'checked' });
    await checked.walk('.', WHOLE).each((entry) => expect(entry.lend()).toBeUndefined());
  });

  it('is one of few directories: a walk goes on without lending more', async () => {
    for (let index = 0; index < 300; index++) {
      const folder = world.absolute(`sandbox/${index}`);
      mkdirSync(folder, { recursive: true });
      for (const name of ['one', 'two']) writeFileSync(join(folder, name), name);
    }
    const all = await lendAll();
    expect([all.length, held()]).toEqual([512, 256]);
    for (const { lent } of all) lent.release();
    expect(held()).toBe(0);
  });
});
