import assert from 'node:assert/strict';
import type { ContractCase } from '@cleveragents/shared-kernel';
import {
  asPath,
  assertHolds,
  namesOf,
  planBetween,
  rollBack,
  type SnapshotStoreSubject,
  type SnapshotWorkspace,
} from './snapshot-workspace.ts';

async function fillWithEverything(workspace: SnapshotWorkspace): Promise<void> {
  await workspace.write('crlf', 'one\r\ntwo\r\n');
  await workspace.write('binary', '\u0000\u0001\ufeff');
  await workspace.write('odd', 'odd', 0o640);
  await workspace.write('d/tool', '#!/bin/sh\n', 0o755);
  await workspace.write('name with "quotes"\nand a line', 'name');
  await workspace.write('caf\u00e9', 'composed');
  await workspace.write('cafe\u0301', 'decomposed');
  await workspace.write('empty', '');
  await workspace.makeDirectory('d/hollow', 0o700);
  await workspace.makeLink('d/link', '../nowhere');
}

/** The states that a path can be in. */
const KINDS: readonly (readonly [string, (workspace: SnapshotWorkspace) => Promise<void>])[] = [
  ['a file', (workspace) => workspace.write('path', 'file')],
  ['another file', (workspace) => workspace.write('path', 'another', 0o755)],
  ['a link', (workspace) => workspace.makeLink('path', 'target')],
  ['an empty directory', (workspace) => workspace.makeDirectory('path', 0o750)],
  ['a full directory', (workspace) => workspace.write('path/below/file', 'deep')],
  ['nothing', () => Promise.resolve()],
];

export const snapshotRestoreCases: readonly ContractCase<SnapshotStoreSubject>[] = [
  {
    name: 'brings everything back byte for byte, with kinds and modes',
    run: async (subject) => {
      const { store, workspace } = subject;
      await fillWithEverything(workspace);
      const before = await workspace.describe();
      const { ref } = await store.capture(workspace.root);
      for (const path of Object.keys(before).filter((path) => !path.includes('/')))
        await workspace.remove(path);
      await workspace.write('new/file', 'new');
      await rollBack(subject, ref);
      await assertHolds(workspace, before);
    },
  },
  ...KINDS.flatMap(([was, makeOld]) =>
    KINDS.filter(([is]) => is !== was).map(([is, makeNew]) => ({
      name: `brings back ${was} where there is ${is} now`,
      run: async (subject: SnapshotStoreSubject): Promise<void> => {
        const { store, workspace } = subject;
        await workspace.write('beside', 'beside');
        await makeOld(workspace);
        const before = await workspace.describe();
        const { ref } = await store.capture(workspace.root);
        await workspace.remove('path');
        await makeNew(workspace);
        const after = await workspace.describe();
        const safety = await store.capture(workspace.root);
        await rollBack(subject, ref);
        await assertHolds(workspace, before);
        await rollBack(subject, safety.ref);
        await assertHolds(workspace, after);
      },
    })),
  ),
  {
    name: 'restores inside a directory that nobody may write, and leaves it so',
    run: async (subject) => {
      const { store, workspace } = subject;
      await workspace.write('locked/a', 'old');
      await workspace.changeMode('locked', 0o555);
      const before = await workspace.describe();
      const { ref } = await store.capture(workspace.root);
      await workspace.changeMode('locked', 0o755);
      await workspace.write('locked/a', 'new');
      await workspace.write('locked/b', 'new');
      await workspace.changeMode('locked', 0o555);
      await rollBack(subject, ref);
      await assertHolds(workspace, before);
    },
  },
  {
    name: 'leaves alone what neither snapshot holds',
    run: async (subject) => {
      const { store, workspace } = subject;
      await workspace.ignore(['secret', 'd/build']);
      await workspace.write('secret', 'mine');
      await workspace.write('d/build/out', 'mine');
      await workspace.write('d/a', 'old');
      const { ref } = await store.capture(workspace.root);
      await workspace.write('secret', 'mine, changed');
      await workspace.write('d/a', 'new');
      const plan = await rollBack(subject, ref);
      assert.deepEqual(namesOf(plan.steps), ['d/a']);
      assert.deepEqual(namesOf(plan.kept), ['d/build', 'secret']);
      await assertHolds(workspace, {
        d: 'directory 755',
        'd/a': 'file 644 old',
        'd/build': 'directory 755',
        'd/build/out': 'file 644 mine',
        secret: 'file 644 mine, changed',
      });
    },
  },
  {
    name: 'restores what the snapshot holds although it is ignored by now',
    run: async (subject) => {
      const { store, workspace } = subject;
      await workspace.write('build/out', 'old');
      const { ref } = await store.capture(workspace.root);
      await workspace.ignore(['build']);
      await workspace.write('build/out', 'new');
      await workspace.write('build/more', 'ignored');
      const plan = await rollBack(subject, ref);
      assert.deepEqual(namesOf(plan.kept), ['build/more']);
      await assertHolds(workspace, {
        build: 'directory 755',
        'build/more': 'file 644 ignored',
        'build/out': 'file 644 old',
      });
    },
  },
  {
    name: 'keeps what was ignored at the checkpoint and is not any more',
    run: async (subject) => {
      const { store, workspace } = subject;
      await workspace.ignore(['secret']);
      await workspace.write('secret', 'mine');
      const { ref } = await store.capture(workspace.root);
      await workspace.ignore([]);
      const plan = await rollBack(subject, ref);
      assert.deepEqual(plan.kept, [{ path: 'secret', reason: 'not-covered-then' }]);
      await assertHolds(workspace, { secret: 'file 644 mine' });
    },
  },
  ...(
    [
      ['a changed file', (workspace) => workspace.write('b', 'moved')],
      ['another mode', (workspace) => workspace.changeMode('b', 0o600)],
      ['a file that went away', (workspace) => workspace.remove('b')],
      ['a link in place of a file', (workspace) => workspace.makeLink('b', 'a')],
      ['a file where nothing was', (workspace) => workspace.write('deleted', 'moved')],
      ['a file in a directory that shall go', (workspace) => workspace.write('new/late', 'moved')],
    ] as readonly (readonly [string, (workspace: SnapshotWorkspace) => Promise<void>])[]
  ).map(([what, move]) => ({
    name: `refuses when the tree moved, and changes nothing: ${what}`,
    run: async ({ store, workspace }: SnapshotStoreSubject): Promise<void> => {
      for (const path of ['a', 'b', 'deleted', 'z']) await workspace.write(path, 'old');
      const target = await store.capture(workspace.root);
      for (const path of ['a', 'b', 'new/file', 'z']) await workspace.write(path, 'new');
      await workspace.remove('deleted');
      const safety = await store.capture(workspace.root);
      const plan = await planBetween(store, safety.ref, target.ref);
      await move(workspace);
      const moved = await workspace.describe();
      await assert.rejects(store.restore(workspace.root, plan), { code: 'ROLLBACK_TREE_MOVED' });
      await assertHolds(workspace, moved);
    },
  })),
  {
    name: 'captures by path right after a restore',
    run: async (subject) => {
      const { store, workspace } = subject;
      await workspace.write('a', 'old');
      await workspace.write('d/b', 'old');
      const { ref } = await store.capture(workspace.root);
      await workspace.write('a', 'new');
      await workspace.remove('d');
      await rollBack(subject, ref);
      await workspace.write('c', 'new');
      const byPath = await store.capture(workspace.root, { changedPaths: [asPath('c')] });
      assert.deepEqual(namesOf(await store.diff(ref, byPath.ref)), ['c']);
    },
  },
  {
    name: 'settles what needs no settling by leaving it alone',
    run: async ({ store, workspace }) => {
      await workspace.write('a', 'old');
      await store.settle(workspace.root);
      await store.settle(`${workspace.root}/missing`);
      await assertHolds(workspace, { a: 'file 644 old' });
    },
  },
  {
    name: 'restores nothing into a root that is missing',
    run: async ({ store, workspace }) => {
      await workspace.write('a', 'old');
      const target = await store.capture(workspace.root);
      await workspace.remove('a');
      const safety = await store.capture(workspace.root);
      const plan = await planBetween(store, safety.ref, target.ref);
      await assert.rejects(store.restore(`${workspace.root}/missing`, plan), {
        code: 'ROLLBACK_SANDBOX_MISSING',
      });
    },
  },
];
