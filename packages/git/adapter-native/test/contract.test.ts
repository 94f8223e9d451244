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
import { Git } from '../src/git.ts';
import { NativeGitEngine } from '../src/native-git-engine.ts';
import { NativeObjectStore } from '../src/native-object-store.ts';

runContract<WorktreeHostSubject, never>(worktreeHostContract, {
  open: () => {
    const world = makeGitWorld();
    const engine = new NativeGitEngine({ environment: GIT_ENVIRONMENT });
    return { world, open: () => engine.open(world.root) };
  },
  close: ({ world }) => {
    removeFolder(dirname(world.root));
  },
});

type Subject = ObjectStoreSubject & { readonly top: string };

runContract<ObjectStoreSubject, 'realGit'>(objectStoreContract, {
  open: (): Subject => {
    const top = temporaryFolder();
    const root = makeRepository(join(top, 'project'));
    return {
      top,
      objects: new NativeObjectStore({
        git: new Git({ environment: GIT_ENVIRONMENT }),
        place: { gitDirectory: join(root, '.git'), workTree: root },
        timeoutMs: 30_000,
        signsCommits: false,
      }),
      git: async (...args) => git(root, ...args),
    };
  },
  close: (subject) => {
    removeFolder((subject as Subject).top);
  },
  capabilities: { realGit: true },
});
