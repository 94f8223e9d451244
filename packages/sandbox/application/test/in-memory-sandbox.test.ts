import type { SandboxSubject } from '@cleveragents/sandbox-ports/contract';
import { type ProjectFiles, sandboxContract } from '@cleveragents/sandbox-ports/contract';
import {
  FixedClock,
  InMemoryProjects,
  InMemorySandboxFactory,
  runContract,
  SeededIds,
} from '@cleveragents/shared-testing';

function filesAt(projects: InMemoryProjects, path: string): ProjectFiles {
  return {
    read: async (file) => projects.directories.get(path)?.get(file) ?? null,
    write: async (file, text) => void projects.at(path).set(file, text),
    remove: async (file) => void projects.at(path).delete(file),
  };
}

runContract(sandboxContract, {
  open: (): SandboxSubject => {
    const projects = new InMemoryProjects();
    projects.at('/app').set('README.md', 'read me\n').set('src/main.py', "print('hello')\n");
    const factory = new InMemorySandboxFactory({ projects, clock: new FixedClock(), ids: new SeededIds() });
    const resource = { resourceId: 'app', originalPath: '/app' };
    return {
      make: () => factory.make(resource),
      reopen: (sandbox) => factory.reopen(resource, sandbox.state),
      project: filesAt(projects, '/app'),
      filesOf: (sandbox) => filesAt(projects, sandbox.context?.sandboxPath ?? '/nowhere'),
    };
  },
});
