import assert from 'node:assert/strict';
import type { ContractCase } from '@cleveragents/shared-kernel';
import { asPath, namesOf, type SnapshotStoreSubject } from './snapshot-workspace.ts';

const NOT_RESTORABLE = { code: 'CHECKPOINT_NOT_RESTORABLE' };

export const snapshotCaptureCases: readonly ContractCase<SnapshotStoreSubject>[] = [
  {
    name: 'names every capture anew, and finds nothing between two of the same state',
    run: async ({ store, workspace }) => {
      await workspace.write('a', 'one');
      const first = await store.capture(workspace.root);
      const second = await store.capture(workspace.root);
      assert.notEqual(first.ref, second.ref);
      assert.notEqual(first.ref, '');
      assert.equal(first.fileCount, 1);
      assert.deepEqual(await store.diff(first.ref, second.ref), []);
    },
  },
  {
    name: 'changes nothing in the tree that it captures',
    run: async ({ store, workspace }) => {
      await workspace.write('d/a', 'one', 0o600);
      await workspace.makeDirectory('empty');
      const before = await workspace.describe();
      await store.capture(workspace.root);
      assert.deepEqual(await workspace.describe(), before);
    },
  },
  {
    name: 'finds each kind of change, sorted by path',
    run: async ({ store, workspace }) => {
      for (const path of ['changed', 'deleted', 'mode', 'same', 'to-link', 'to-directory'])
        await workspace.write(path, 'old');
      await workspace.makeDirectory('empty');
      const before = await store.capture(workspace.root);
      await workspace.write('changed', 'new');
      await workspace.write('d/new', 'new');
      await workspace.remove('deleted');
      await workspace.remove('empty');
      await workspace.changeMode('mode', 0o600);
      await workspace.makeLink('to-link', 'same');
      await workspace.makeDirectory('to-directory', 0o700);
      const after = await store.capture(workspace.root);
      const differences = await store.diff(after.ref, before.ref);
      assert.deepEqual(
        differences.map(({ path, present, wanted }) => [path, present?.kind ?? null, wanted?.kind ?? null]),
        [
          ['changed', 'file', 'file'],
          ['d', 'directory', null],
          ['d/new', 'file', null],
          ['deleted', null, 'file'],
          ['empty', null, 'directory'],
          ['mode', 'file', 'file'],
          ['to-directory', 'directory', 'file'],
          ['to-link', 'link', 'file'],
        ],
      );
    },
  },
  {
    name: 'finds the whole tree against an empty directory',
    run: async ({ store, workspace }) => {
      await workspace.write('d/a', 'one');
      await workspace.makeDirectory('empty');
      const { ref } = await store.capture(workspace.root);
      assert.deepEqual(namesOf(await store.diff(null, ref)), ['d', 'd/a', 'empty']);
    },
  },
  {
    name: 'finds a change of the same size at once',
    run: async ({ store, workspace }) => {
      await workspace.write('a', 'one');
      let last = await store.capture(workspace.root);
      for (const content of ['two', 'six', 'ten']) {
        await workspace.write('a', content);
        const next = await store.capture(workspace.root);
        assert.deepEqual(namesOf(await store.diff(last.ref, next.ref)), ['a']);
        last = next;
      }
    },
  },
  {
    name: 'tells files and links by their SHA-256, and holds none for anything else',
    run: async ({ store, workspace }) => {
      await workspace.write('d/a', 'abc');
      await workspace.makeLink('link', 'abc');
      const { ref } = await store.capture(workspace.root);
      const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
      const asked = ['d/a', 'link', 'd', 'missing', 'd/a/below'].map(asPath);
      const hashes = await store.sha256(ref, asked);
      assert.deepEqual(
        asked.map((path) => hashes.get(path)),
        [abc, abc, null, null, null],
      );
    },
  },
  {
    name: 'does not hold what is ignored, and names it',
    run: async ({ store, workspace }) => {
      await workspace.write('a', 'one');
      await workspace.write('build/out', 'ignored');
      await workspace.ignore(['build']);
      const { ref, uncovered, fileCount } = await store.capture(workspace.root);
      assert.equal(fileCount, 1);
      assert.deepEqual(uncovered, [{ path: 'build', reason: 'ignored' }]);
      assert.deepEqual(await store.uncovered(ref), uncovered);
      assert.deepEqual(namesOf(await store.diff(null, ref)), ['a']);
    },
  },
  {
    name: 'holds ignored files that were asked for, or that an earlier snapshot holds',
    run: async ({ store, workspace }) => {
      await workspace.write('build/early', 'covered at first');
      const early = await store.capture(workspace.root);
      await workspace.ignore(['build', 'secret']);
      await workspace.write('build/late', 'ignored');
      await workspace.write('secret', 'ignored');
      const also = await store.capture(workspace.root, { alsoCover: [early.ref] });
      assert.deepEqual(namesOf(await store.diff(null, also.ref)), ['build', 'build/early']);
      assert.deepEqual(namesOf(also.uncovered), ['build/late', 'secret']);
      const asked = await store.capture(workspace.root, { includeIgnored: ['secret'] });
      assert.deepEqual(namesOf(await store.diff(null, asked.ref)), ['secret']);
      assert.deepEqual(namesOf(asked.uncovered), ['build']);
    },
  },
  {
    name: 'captures by path what a look at the whole tree would capture',
    run: async ({ store, workspace }) => {
      await workspace.write('d/e/a', 'one');
      await workspace.write('gone/a', 'one');
      await workspace.write('kept', 'one');
      await store.capture(workspace.root);
      await workspace.write('d/e/a', 'two');
      await workspace.remove('gone');
      await workspace.write('new/deep/a', 'new');
      await workspace.makeLink('kept', 'd');
      const changedPaths = ['d/e/a', 'gone/a', 'new/deep/a', 'kept'].map(asPath);
      const byPath = await store.capture(workspace.root, { changedPaths });
      const whole = await store.capture(workspace.root);
      assert.deepEqual(await store.diff(byPath.ref, whole.ref), []);
      assert.equal(byPath.fileCount, whole.fileCount);
    },
  },
  {
    name: 'says of a missing root that the sandbox is missing',
    run: async ({ store, workspace }) => {
      assert.equal(await store.hasRoot(workspace.root), true);
      const missing = `${workspace.root}/missing`;
      assert.equal(await store.hasRoot(missing), false);
      await assert.rejects(store.capture(missing), { code: 'ROLLBACK_SANDBOX_MISSING' });
    },
  },
  ...['unknown', '', '../../HEAD', 'a\0b'].map((unknown) => ({
    name: `does not know the ref ${JSON.stringify(unknown)}`,
    run: async ({ store, workspace }: SnapshotStoreSubject): Promise<void> => {
      const { ref } = await store.capture(workspace.root);
      await assert.rejects(store.uncovered(unknown), NOT_RESTORABLE);
      await assert.rejects(store.diff(unknown, ref), NOT_RESTORABLE);
      await assert.rejects(store.diff(ref, unknown), NOT_RESTORABLE);
      await assert.rejects(store.sha256(unknown, []), NOT_RESTORABLE);
      await assert.rejects(store.capture(workspace.root, { alsoCover: [unknown] }), NOT_RESTORABLE);
      assert.equal(await store.release([unknown], { reclaim: 'now' }), 0);
    },
  })),
  {
    name: 'captures nothing once its signal says so, and goes on with the next',
    run: async ({ store, workspace }) => {
      await workspace.write('a', 'one');
      const { ref } = await store.capture(workspace.root);
      await workspace.write('a', 'two');
      const reason = new Error('nobody waits for it any more');
      await assert.rejects(
        store.capture(workspace.root, { signal: AbortSignal.abort(reason), claimant: 'the plan' }),
        (error) => error === reason,
      );
      assert.deepEqual(await store.abandoned(), []);
      const next = await store.capture(workspace.root, { signal: new AbortController().signal });
      assert.deepEqual(namesOf(await store.diff(ref, next.ref)), ['a']);
    },
  },
  {
    name: 'frees the bytes of what is released, and nothing that another snapshot needs',
    run: async (subject) => {
      const { store, workspace } = subject;
      await workspace.write('stays', 'stays');
      await workspace.write('goes', 'x'.repeat(3000));
      const first = await store.capture(workspace.root);
      await workspace.remove('goes');
      const second = await store.capture(workspace.root);
      assert.ok((await store.release([first.ref], { reclaim: 'now' })) > 0);
      await assert.rejects(store.uncovered(first.ref), NOT_RESTORABLE);
      assert.equal(await store.release([first.ref], { reclaim: 'now' }), 0);
      assert.deepEqual(namesOf(await store.diff(null, second.ref)), ['stays']);
      const third = await store.capture(workspace.root);
      assert.deepEqual(await store.diff(second.ref, third.ref), []);
    },
  },
  {
    name: 'does not take a snapshot for abandoned while its process lives, nor one that was claimed',
    run: async ({ store, workspace }) => {
      await workspace.write('a', 'one');
      const { ref } = await store.capture(workspace.root, { claimant: 'the plan' });
      await store.capture(workspace.root);
      assert.deepEqual(await store.abandoned(), []);
      await store.claim(ref);
      await store.claim(ref);
      assert.deepEqual(await store.abandoned(), []);
      assert.deepEqual(await store.uncovered(ref), []);
    },
  },
];
