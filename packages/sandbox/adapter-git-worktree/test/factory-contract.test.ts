import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EngineName } from '@cleveragents/git-ports';
import { GitWorktreeSandboxFactory } from '@cleveragents/sandbox-adapter-git-worktree';
import { sandboxFactoryContract, type SandboxFactorySubject } from '@cleveragents/sandbox-ports/contract';
import { createRepository, runContract, temporaryDirectory } from '@cleveragents/shared-testing';

async function open(engine: EngineName): Promise<SandboxFactorySubject> {
  const { root } = await createRepository({ files: { 'README.md': 'read me\n' } });
  return {
    factory: new GitWorktreeSandboxFactory({ engine, sandboxFolder: temporaryDirectory().path }),
    originalPath: root,
    write: async (folder, path, text) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    removeFolder: async (path) => rmSync(path, { recursive: true }),
  };
}

runContract(
  { ...sandboxFactoryContract, name: 'SandboxFactory, isomorphic' },
  { open: () => open('isomorphic') },
);
runContract({ ...sandboxFactoryContract, name: 'SandboxFactory, native' }, { open: () => open('native') });
