import { dirname, join } from 'node:path';
import {
  objectStoreContract,
  type ObjectStoreSubject,
  worktreeHostContract,
  type WorktreeHostSubject,
} from '@cleveragents/git-ports/contract';
import { runContract } from '@cleveragents/shared-testing';
import {
  git,
  GIT_ENVIRONMENT,
  makeGitWorld,
  makeRepository,
  removeFolder,
  temporaryFolder,
} from '@cleveragents/shared-testing/real-git';
import { IsomorphicEngine } from '../src/isomorphic-engine.ts';
import { ObjectDatabase } from '../src/object-database.ts';

runContract<WorktreeHostSubject, never>(worktreeHostContract, {
  open: () => {
    const world = makeGitWorld();
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
