import { JavaScriptTextSearcher } from '@cleveragents/file-tools-adapter-fs';
import { InMemoryRootedWorld } from '@cleveragents/shared-testing';
import type { FileToolsDriver } from '../driver.ts';

export const filesInMemory: FileToolsDriver = {
  name: 'files in memory',
  async open() {
    const world = new InMemoryRootedWorld();
    const options = { files: world.files, searcher: new JavaScriptTextSearcher() };
    return { world, options, close: async () => undefined };
  },
};
