import { describe, expect, it } from '@jest/globals';
import { rootedFileSystemContract } from '@cleveragents/shared-kernel/contract';
import { DiskRootedWorld, runContract } from '@cleveragents/shared-testing';
import { openRootedFileSystem, type RootedFileSystemOptions } from '@cleveragents/shared-adapter-fs';

const FORMS: readonly (readonly [string, RootedFileSystemOptions])[] = [
  ['with the strongest form that the system has', {}],
  ['with the form for systems that cannot pin a path', { confinement: 'checked' }],
];

for (const [form, options] of FORMS)
  describe(form, () => {
    runContract(rootedFileSystemContract, {
      open: () => DiskRootedWorld.open((root) => openRootedFileSystem(root, options)),
      close: (world) => (world as DiskRootedWorld).remove(),
      capabilities: { hardLinks: true, fifos: true, posixNames: true },
    });
  });

describe('the strongest form', () => {
  it('is pinned paths on Linux', async () => {
    const world = await DiskRootedWorld.open(openRootedFileSystem);
    expect(world.files.confinement).toBe(process.platform === 'linux' ? 'pinned' : 'checked');
    await world.remove();
  });
});
