import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileCopySandboxFactory } from '@cleveragents/sandbox-adapter-fs';
import { sandboxFactoryContract } from '@cleveragents/sandbox-ports/contract';
import { runContract } from '@cleveragents/shared-testing';
import { CopyBench } from './support/copy-bench.ts';

runContract(sandboxFactoryContract, {
  open: () => {
    const { root, sandboxes, state } = new CopyBench();
    return {
      factory: new FileCopySandboxFactory({ sandboxFolder: sandboxes, stateFolder: state }),
      originalPath: root,
      write: async (folder, path, text) => writeFileSync(join(folder, path), text),
      removeFolder: async (path) => rmSync(path, { recursive: true }),
    };
  },
});
