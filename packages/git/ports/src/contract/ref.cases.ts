import assert from 'node:assert/strict';
import type { ContractCase } from '@cleveragents/shared-kernel';
import type { WorktreeHostSubject } from './git-world.ts';
import { commit, lines, revision } from './world-steps.ts';

const NAME = 'refs/heads/cleveragents/plan-x';

/** Reading, moving and deleting refs. */
export const refCases: readonly ContractCase<WorktreeHostSubject>[] = [
  {
    name: 'tells an unborn branch, a branch and a detached HEAD apart',
    run: async ({ world, open }) => {
      const host = await open();
      assert.deepEqual(await host.readHead(), { branch: 'refs/heads/main', commit: null });
      const id = await commit(world);
      assert.deepEqual(await host.readHead(), { branch: 'refs/heads/main', commit: id });
      await world.git('checkout', '-q', '--detach');
      assert.deepEqual(await host.readHead(), { branch: null, commit: id });
    },
  },
  {
    name: 'lists the refs below a prefix as git for-each-ref does, loose and packed',
    run: async ({ world, open }) => {
      const first = await commit(world);
      for (const name of ['a', 'a-b', 'a.b', 'deep/er/one', 'deep/two'])
        await world.git('branch', name, first);
      await world.git('pack-refs', '--all');
      const second = await commit(world);
      for (const name of ['a', 'deep/three']) await world.git('branch', '-f', name, second);
      const host = await open();
      for (const prefix of ['refs/heads', 'refs/heads/deep', 'refs/heads/a', 'refs/tags']) {
        const listed = (await host.listRefs(prefix)).map(({ name, target }) => `${target} ${name}`);
        assert.deepEqual(
          listed,
          await lines(world.git('for-each-ref', '--format=%(objectname) %(refname)', prefix)),
        );
      }
      assert.equal(await host.readRef('refs/heads/a'), second);
      assert.equal(await host.readRef('refs/heads/deep/er/one'), first);
      assert.equal(await host.readRef('refs/heads/missing'), null);
    },
  },
  {
    name: 'makes, moves and logs a ref',
    run: async ({ world, open }) => {
      const [first, second] = [await commit(world), await commit(world)];
      const host = await open();
      await host.updateRef({ name: NAME, expected: null, target: first, message: 'made' });
      await host.updateRef({ name: NAME, expected: first, target: second, message: 'moved' });
      assert.equal(await revision(world, NAME), second);
      assert.deepEqual(await lines(world.git('reflog', '--format=%H %gs', NAME)), [
        `${second} moved`,
        `${first} made`,
      ]);
    },
  },
  {
    name: 'moves nothing when the ref stands elsewhere, is there already, or is gone',
    run: async ({ world, open }) => {
      const [first, second] = [await commit(world), await commit(world)];
      const host = await open();
      const main = { name: 'refs/heads/main', message: '' };
      await assert.rejects(host.updateRef({ ...main, expected: first, target: first }), {
        code: 'GIT_REF_MOVED',
      });
      await assert.rejects(host.updateRef({ ...main, expected: null, target: first }), {
        code: 'GIT_REF_EXISTS',
      });
      const gone = { name: NAME, expected: first, target: second, message: '' };
      await assert.rejects(host.updateRef(gone), { code: 'GIT_REF_MOVED' });
      assert.deepEqual(await lines(world.git('for-each-ref', '--format=%(objectname)')), [second]);
    },
  },
  {
    name: 'refuses a name that another ref blocks, loose or packed',
    run: async ({ world, open }) => {
      const id = await commit(world);
      await world.git('branch', 'cleveragents', id);
      await world.git('branch', 'deep/er', id);
      const host = await open();
      const blocked = { code: 'GIT_REF_BLOCKED' };
      for (const pack of [false, true]) {
        if (pack) await world.git('pack-refs', '--all');
        for (const name of [NAME, 'refs/heads/deep', 'refs/heads/deep/er/x'])
          await assert.rejects(host.updateRef({ name, expected: null, target: id, message: '' }), blocked);
      }
    },
  },
  {
    name: 'deletes a ref with its log, loose or packed, and is fine with one that is gone',
    run: async ({ world, open }) => {
      const id = await commit(world);
      const host = await open();
      for (const pack of [false, true]) {
        await world.git('update-ref', '--create-reflog', '-m', 'x', NAME, id);
        if (pack) await world.git('pack-refs', '--all');
        await host.deleteRef(NAME, id);
        await host.deleteRef(NAME, id);
        assert.deepEqual(await lines(world.git('for-each-ref', '--format=%(refname)')), ['refs/heads/main']);
        await assert.rejects(world.git('reflog', 'show', NAME, '--'));
      }
    },
  },
  {
    name: 'keeps a ref that is not where the caller last saw it',
    run: async ({ world, open }) => {
      const [first, second] = [await commit(world), await commit(world)];
      await world.git('branch', 'kept', second);
      await assert.rejects((await open()).deleteRef('refs/heads/kept', first), { code: 'GIT_REF_MOVED' });
      assert.equal(await revision(world, 'kept'), second);
    },
  },
  {
    name: 'lets only one of many writers at once make a ref, and only one move it',
    run: async ({ world, open }) => {
      const [first, second] = [await commit(world), await commit(world)];
      const hosts = await Promise.all([open(), open(), open(), open()]);
      for (const [expected, target] of [
        [null, first],
        [first, second],
      ] as const) {
        const update = { name: NAME, expected, target, message: 'x' };
        const outcomes = await Promise.allSettled(hosts.map((host) => host.updateRef(update)));
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
        assert.equal(await revision(world, NAME), target);
      }
    },
  },
];
