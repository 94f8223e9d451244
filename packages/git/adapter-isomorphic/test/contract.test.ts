import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type GitWorld,
  objectStoreContract,
  type ObjectStoreSubject,
  worktreeHostContract,
  type WorktreeHostSubject,
} from '@cleveragents/git-ports/contract';
import { runContract } from '@cleveragents/shared-testing';
import { IsomorphicEngine } from '../src/isomorphic-engine.ts';
import { ObjectDatabase } from '../src/object-database.ts';
import {
  git,
  GIT_ENVIRONMENT,
  makeRepository,
  removeFolder,
  temporaryFolder,
  write,
} from './support/real-git.ts';

function makeWorld(): GitWorld {
  const top = temporaryFolder();
  const root = makeRepository(join(top, 'original'));
  const folder = join(top, 'beside');
  mkdirSync(folder);
  return {
    root,
    folder,
    git: async (...args) => git(root, ...args),
    gitIn: async (directory, ...args) => git(directory, ...args),
    write: async (path, content) => {
      write(root, path, content);
    },
    writeIn: async (directory, path, content) => {
      write(directory, path, content);
    },
  };
}

runContract<WorktreeHostSubject, never>(worktreeHostContract, {
  open: () => {
    const world = makeWorld();
    const engine = new IsomorphicEngine({ environment: GIT_ENVIRONMENT });
    return { world, open: () => engine.open(world.root) };
  },
  close: ({ world }) => {
    removeFolder(dirname(world.root));
  },
});

type Subject = ObjectStoreSubject & { readonly top: string; readonly objects: ObjectDatabase };

runContract<ObjectStoreSubject, 'realGit'>(objectStoreContract, {
  open: (): Subject => {
    const top = temporaryFolder();
    const root = makeRepository(join(top, 'project'));
    return {
      top,
      objects: new ObjectDatabase(join(root, '.git/objects')),
      git: async (...args) => git(root, ...args),
    };
  },
  close: (subject) => {
    const { top, objects } = subject as Subject;
    objects.close();
    removeFolder(top);
  },
  capabilities: { realGit: true },
});
