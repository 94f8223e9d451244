import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type FaultKind, forEachFaultPoint, hermeticGitEnvironment } from '@cleveragents/shared-testing';
import { type DiskSubject, diskSubject } from '../support/disk-workspace.ts';

/** A tree that changed in every way since `target` was taken, and the `safety` of how it is now. */
interface Scene extends DiskSubject {
  readonly target: string;
  readonly safety: string;
  readonly old: Readonly<Record<string, string>>;
  readonly present: Readonly<Record<string, string>>;
}

const SCRIPT = join(import.meta.dirname, '..', 'support', 'fault-script.ts');
const DEATHS: readonly FaultKind[] = ['kill-before', 'kill-during', 'kill-after'];
/** Of each kind of fault, spread over all calls; `CLEVERAGENTS_TORTURE=full` strikes at every one. */
const SAMPLE =
  process.env['CLEVERAGENTS_TORTURE'] === 'full'
    ? Number.MAX_SAFE_INTEGER
    : Number(process.env['CLEVERAGENTS_FAULT_SAMPLE'] ?? 60);
const ERRORS: readonly FaultKind[] = ['error:EIO', 'error:EACCES', 'error-from:ENOSPC'];

async function prepare(): Promise<Scene> {
  const subject = await diskSubject();
  const { store, workspace } = subject;
  for (let number = 0; number < 12; number++) await workspace.write(`many/${number}`, `old ${number}`);
  for (const path of ['changed', 'deleted', 'mode', 'to-link', 'to-directory', 'd/e/deep'])
    await workspace.write(path, 'old');
  await workspace.write('large', randomBytes(600_000).toString('hex'));
  await workspace.write('locked/file', 'old');
  await workspace.changeMode('locked', 0o555);
  await workspace.makeLink('link', 'old');
  await workspace.write('from-directory/file', 'old');
  const old = await workspace.describe();
  const target = (await store.capture(workspace.root)).ref;
  for (let number = 0; number < 12; number += 3) await workspace.write(`many/${number}`, `new ${number}`);
  for (const path of ['changed', 'made/new', 'from-directory']) await workspace.write(path, 'new');
  for (const path of ['deleted', 'd']) await workspace.remove(path);
  await workspace.changeMode('mode', 0o600);
  await workspace.makeLink('to-link', 'new');
  await workspace.write('to-directory/inside', 'new');
  await workspace.write('large', randomBytes(600_000).toString('hex'));
  await workspace.write('locked/file', 'new');
  await workspace.makeLink('link', 'new');
  const safety = (await store.capture(workspace.root)).ref;
  return { ...subject, target, safety, old, present: await workspace.describe() };
}

/** After whatever happened: what the tree is once it is settled, and that every snapshot that should be there is whole. */
async function settle(
  { workspace, storePath, reopen, target, safety }: Scene,
  keeps: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const store = reopen();
  const { ref } = await store.capture(workspace.root);
  const state = await workspace.describe();
  execFileSync('git', [`--git-dir=${storePath}`, 'fsck', '--strict', '--full'], {
    env: hermeticGitEnvironment(),
    stdio: 'pipe',
  });
  for (const one of [...keeps, ref]) {
    await store.uncovered(one);
    const paths = (await store.diff(null, one)).map(({ path }) => path);
    await store.sha256(one, paths);
  }
  void [target, safety];
  return state;
}

describe.each([
  ['dies', DEATHS],
  ['is refused by the system', ERRORS],
])('an operation that %s at any call', (fate, kinds) => {
  const report = (operation: string, { calls, runs }: { calls: readonly unknown[]; runs: number }): void => {
    process.stderr.write(`${operation} that ${fate}: ${calls.length} calls, ${runs} faults\n`);
  };

  it('of a restore ends in the old state or in the new one', async () => {
    const seen = new Set<string>();
    const campaign = await forEachFaultPoint({
      script: SCRIPT,
      kinds,
      sample: SAMPLE,
      prepare,
      scene: ({ workspace, storePath, target, safety }) => ({
        arguments: ['restore', workspace.root, storePath, target, safety],
        roots: [workspace.root, storePath],
      }),
      verify: async (scene, _point, { exitCode }) => {
        const state = await settle(scene, [scene.target, scene.safety]);
        const isOld = JSON.stringify(state) === JSON.stringify(scene.present);
        expect(state).toEqual(isOld ? scene.present : scene.old);
        if (exitCode === 0) expect(isOld).toBe(false);
        seen.add(isOld ? 'old' : 'new');
      },
      dispose: (scene) => scene.close(),
    });
    report('restore', campaign);
    expect([...seen].sort()).toEqual(['new', 'old']);
  }, 7_200_000);

  it('of a capture changes nothing in the tree, and spoils no snapshot', async () => {
    const campaign = await forEachFaultPoint({
      script: SCRIPT,
      kinds,
      sample: SAMPLE,
      prepare: async () => {
        const scene = await prepare();
        for (let number = 0; number < 12; number++)
          await scene.workspace.write(`many/${number}`, `newer ${number}`);
        await scene.workspace.write('large', randomBytes(600_000).toString('hex'));
        return { ...scene, present: await scene.workspace.describe() };
      },
      scene: ({ workspace, storePath }) => ({
        arguments: ['capture', workspace.root, storePath],
        roots: [workspace.root, storePath],
      }),
      verify: async (scene) => {
        expect(await settle(scene, [scene.target, scene.safety])).toEqual(scene.present);
      },
      dispose: (scene) => scene.close(),
    });
    report('capture', campaign);
  }, 7_200_000);

  it('of a sweep loses nothing that a snapshot needs', async () => {
    const campaign = await forEachFaultPoint({
      script: SCRIPT,
      kinds,
      sample: SAMPLE,
      prepare,
      scene: ({ workspace, storePath, target }) => ({
        arguments: ['release', workspace.root, storePath, target],
        roots: [workspace.root, storePath],
      }),
      verify: async (scene) => {
        expect(await settle(scene, [scene.safety])).toEqual(scene.present);
      },
      dispose: (scene) => scene.close(),
    });
    report('sweep', campaign);
  }, 7_200_000);
});
