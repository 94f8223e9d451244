import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import {
  createRepository,
  type FaultKind,
  forEachFaultPoint,
  hermeticGitEnvironment,
  type TemporaryRepository,
} from '@cleveragents/shared-testing';

/** A repository whose own store is about to borrow from it, or to let go of what it borrowed. */
interface Scene {
  readonly repository: TemporaryRepository;
  readonly storePath: string;
  readonly status: string;
  readonly held: string;
}

const SCRIPT = join(import.meta.dirname, '..', 'support', 'fault-script.ts');
const DEATHS: readonly FaultKind[] = ['kill-before', 'kill-during', 'kill-after'];
const ERRORS: readonly FaultKind[] = ['error:EIO', 'error:EACCES', 'error:ENOSPC', 'error-from:ENOSPC'];
const SAMPLE =
  process.env['CLEVERAGENTS_TORTURE'] === 'full'
    ? Number.MAX_SAFE_INTEGER
    : Number(process.env['CLEVERAGENTS_FAULT_SAMPLE'] ?? 60);

const FILES = {
  ...Object.fromEntries(
    Array.from({ length: 8 }, (_, number) => [`d/${number}`, `content ${number}\n`.repeat(9)]),
  ),
  large: randomBytes(600_000).toString('hex'),
};

async function prepare({ isCaptured }: { readonly isCaptured: boolean }): Promise<Scene> {
  const repository = await createRepository({ files: FILES });
  await repository.write('d/0', 'changed');
  await repository.write('untracked', 'new');
  const storePath = repository.path('.git/cleveragents/checkpoints.git');
  const held = isCaptured ? (await openStore(storePath).capture(repository.root)).ref : '';
  return { repository, storePath, held, status: await repository.git('status', '--porcelain') };
}

const openStore = (path: string): GitSnapshotStore => new GitSnapshotStore({ path, durability: 'process' });

const keepRefs = (repository: TemporaryRepository): Promise<string> =>
  repository.git('for-each-ref', '--format=%(refname)', 'refs/cleveragents');

function fsckStore(storePath: string): void {
  const options = { env: hermeticGitEnvironment(), stdio: 'pipe' } as const;
  execFileSync('git', [`--git-dir=${storePath}`, 'fsck', '--strict', '--full'], options);
}

/** Nothing but our own ref leads to what the snapshots borrowed any more. */
async function forgetHistory(repository: TemporaryRepository): Promise<void> {
  await repository.git('symbolic-ref', 'HEAD', 'refs/heads/elsewhere');
  await repository.git('update-ref', '-d', 'refs/heads/main');
  await repository.git('read-tree', '--empty');
  await repository.git('reflog', 'expire', '--expire=now', '--all');
  await repository.git('gc', '--quiet', '--prune=now');
}

/** The user's repository is as it was; what is captured from now on lasts; and nothing of ours stays once all is released. */
async function verify({ repository, storePath, status, held }: Scene, isReleased: boolean): Promise<void> {
  expect(await repository.git('status', '--porcelain')).toBe(status);
  await repository.fsck();
  const store = openStore(storePath);
  const { ref } = await store.capture(repository.root);
  const refs = held === '' || isReleased ? [ref] : [held, ref];
  await forgetHistory(repository);
  fsckStore(storePath);
  for (const one of refs) {
    const entries = await openStore(storePath).diff(null, one);
    const files = entries.filter(({ wanted }) => wanted?.kind === 'file').map(({ path }) => path);
    const hashes = await openStore(storePath).sha256(one, files);
    expect([...hashes.values()]).not.toContain(null);
    expect(files).toHaveLength(Object.keys(FILES).length + 1);
  }
  await store.release(
    [held, ref].filter((one) => one !== ''),
    { reclaim: 'now' },
  );
  for (const { ref: left } of await store.abandoned()) await store.release([left], { reclaim: 'now' });
  expect(await keepRefs(repository)).toBe('');
  await repository.fsck();
}

describe.each([
  ['dies', DEATHS],
  ['is refused by the system', ERRORS],
])("a store in the user's repository that %s at any call", (fate, kinds) => {
  const strike = async (operation: 'capture' | 'release'): Promise<void> => {
    const { calls, runs } = await forEachFaultPoint({
      script: SCRIPT,
      kinds,
      sample: SAMPLE,
      prepare: () => prepare({ isCaptured: operation === 'release' }),
      scene: ({ repository, storePath, held }) => ({
        arguments: [operation, repository.root, storePath, held],
        roots: [repository.root],
      }),
      verify: (scene) => verify(scene, operation === 'release'),
      dispose: ({ repository }) => repository[Symbol.asyncDispose](),
    });
    process.stderr.write(`${operation}, borrowing, that ${fate}: ${calls.length} calls, ${runs} faults\n`);
  };

  it('of its first capture leaves the repository sound, and later captures whole', async () => {
    await strike('capture');
  }, 7_200_000);

  it('of its last release leaves the repository sound, and later captures whole', async () => {
    await strike('release');
  }, 7_200_000);
});
