import { createTextSearcher, iconvCodecs, JavaScriptTextSearcher } from '@cleveragents/file-tools-adapter-fs';
import { openRootedFileSystem } from '@cleveragents/shared-adapter-fs';
import { DiskRootedWorld } from '@cleveragents/shared-testing';
import type { FileToolsDriver } from '../driver.ts';

export const filesOnDisk: FileToolsDriver = {
  name: 'files on disk, with everything that this machine has',
  async open() {
    const world = await DiskRootedWorld.open(openRootedFileSystem);
    const options = { files: world.files, searcher: await createTextSearcher(), codecs: iconvCodecs };
    return { world, options, close: () => world.remove() };
  },
};

export const filesOnDiskUnpinned: FileToolsDriver = {
  name: 'files on disk, without pinned paths and ripgrep',
  async open() {
    const world = await DiskRootedWorld.open((root) =>
      openRootedFileSystem(root, { confinement: 'checked' }),
    );
    const options = { files: world.files, searcher: new JavaScriptTextSearcher() };
    return { world, options, close: () => world.remove() };
  },
};
