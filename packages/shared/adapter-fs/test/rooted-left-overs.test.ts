import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { nodeCalls, openRootedFileSystem, sweepTemporaryFiles } from '@cleveragents/shared-adapter-fs';
import { DiskRootedWorld } from '@cleveragents/shared-testing';

const descriptors = (): number => readdirSync('/proc/self/fd').length;

describe('a rooted file system', () => {
  it('holds no descriptor longer than a call', async () => {
    const world = await DiskRootedWorld.open(openRootedFileSystem);
    await world.plantFile('sandbox/sub/file', 'x');
    await world.plantLink('sandbox/out', '..');
    const before = descriptors();
    for (let round = 0; round < 20; round++) {
      const { files } = world;
      await files.write('a/b/c', new Uint8Array(3), { makeParents: true });
      await files.read('sub/file', { maxBytes: 10 });
      await files.fingerprint('sub/file', { maxBytes: 10 });
      for await (const _ of files.stream('sub/file')) break;
      for await (const _ of files.walk('.', { recursive: true, maxEntries: 99, maxDepth: 9 })) break;
      for (const path of ['out/x', 'missing', 'sub', '.git/x', 'a/b/c/d'])
        await Promise.allSettled([
          files.read(path, { maxBytes: 1 }),
          files.write(path, new Uint8Array(1)),
          files.remove(path),
          files.makeDirectory(`${path}/../../..`),
          files.fingerprint(path, { maxBytes: 1 }),
          files.hostPath(path),
        ]);
      await files.remove('a/b/c');
    }
    expect(descriptors()).toBe(before);
    await world.remove();
  });

  it('leaves temporary files, when its process is killed, that a sweep knows', async () => {
    const rename = (): never => {
      throw Object.assign(new Error('killed here'), { code: 'EIO', syscall: 'rename' });
    };
    const unlink = rename;
    const calls = { ...nodeCalls, rename, unlink };
    const world = await DiskRootedWorld.open((root) => openRootedFileSystem(root, { calls }));
    await expect(world.files.write('file', new Uint8Array(1))).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
    });
    const [left] = await world.names('sandbox');
    expect(left).toMatch(/^\.cleveragents-.*\.tmp$/);
    await sweepTemporaryFiles(world.absolute('sandbox'));
    // Its maker, this process, is alive.
    expect(await world.names('sandbox')).toEqual([left]);
    await world.remove();
  });

  it('does not open what is no directory', async () => {
    await expect(openRootedFileSystem('/dev/null')).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' });
    await expect(openRootedFileSystem('/nowhere')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  it('falls back to the weaker form where /proc does not tell where a descriptor leads', async () => {
    const readlink = (): never => {
      throw Object.assign(new Error('no /proc'), { code: 'ENOENT', syscall: 'readlink' });
    };
    const files = await openRootedFileSystem('/tmp', { calls: { ...nodeCalls, readlink } });
    expect(files.confinement).toBe('checked');
  });
});
