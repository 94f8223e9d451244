import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EngineName } from '@cleveragents/git-ports';
import { GitWorktreeSandbox } from '@cleveragents/sandbox-adapter-git-worktree';
import type { Sandbox } from '@cleveragents/sandbox-ports';
import type { ProjectFiles, SandboxSubject } from '@cleveragents/sandbox-ports/contract';
import { createRepository, temporaryDirectory } from '@cleveragents/shared-testing';

function filesBelow(root: string): ProjectFiles {
  return {
    read: async (path) => {
      try {
        return readFileSync(join(root, path), 'utf8');
      } catch {
        return null;
      }
    },
    write: async (path, text) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    remove: async (path) => rmSync(join(root, path)),
  };
}

/** A project that is a real repository, and sandboxes of it that work with `engine`. */
export async function openSubject(engine: EngineName): Promise<SandboxSubject> {
  const repository = await createRepository({
    files: { 'README.md': 'read me\n', 'src/main.py': "print('hello')\n" },
  });
  const options = {
    resourceId: 'app',
    originalPath: repository.root,
    sandboxFolder: temporaryDirectory().path,
    engine,
  };
  return {
    make: () => new GitWorktreeSandbox(options),
    reopen: (sandbox: Sandbox) =>
      new GitWorktreeSandbox({ ...options, state: JSON.parse(JSON.stringify(sandbox.state)) }),
    project: filesBelow(repository.root),
    filesOf: (sandbox) => filesBelow(sandbox.context?.sandboxPath ?? '/nowhere'),
  };
}
