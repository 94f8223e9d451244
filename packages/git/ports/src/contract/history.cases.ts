import assert from 'node:assert/strict';
import type { ContractCase } from '@cleveragents/shared-kernel';
import type { WorktreeHostSubject } from './git-world.ts';
import { commit, lines, revision } from './world-steps.ts';

const LABELS = { ours: 'main', theirs: 'plan-x' };

/** What is answered from objects alone, and what is read of settings. */
export const historyCases: readonly ContractCase<WorktreeHostSubject>[] = [
  {
    name: 'lists the commits of a range, newest first, at most as many as asked for',
    run: async ({ world, open }) => {
      const base = await commit(world, {}, 'base');
      for (const message of ['one', 'two', 'three']) await commit(world, {}, message);
      const tip = await revision(world, 'main');
      const host = await open();
      const listed = (await host.listCommits(base, tip, 2)).map(({ commit: { message } }) => message);
      assert.deepEqual(listed, ['three\n', 'two\n']);
      assert.deepEqual(await host.listCommits(tip, base, 9), []);
      assert.deepEqual([await host.isAncestor(base, tip), await host.isAncestor(tip, base)], [true, false]);
      assert.equal(await host.isAncestor(tip, tip), true);
    },
  },
  {
    name: 'compares trees as git diff --numstat -M does',
    run: async ({ world, open }) => {
      const long = Array.from({ length: 40 }, (_, at) => `line ${at}\n`);
      await commit(world, {
        'old name': long.join(''),
        'b.txt': 'b\n',
        bin: new Uint8Array([0, 1]),
        gone: 'x\n',
      });
      const before = await revision(world, 'HEAD^{tree}');
      await world.git('mv', 'old name', 'ñew "name"');
      await world.git('rm', '-q', 'gone');
      await commit(world, { 'b.txt': 'b\nc\n', bin: new Uint8Array([0, 2]), added: 'a\nb' });
      const after = await revision(world, 'HEAD^{tree}');
      const changes = await (await open()).compareTrees(before, after);
      const told = changes.map(
        ({ path, kind, renamedFrom, insertions, deletions, binary }) =>
          `${kind} ${renamedFrom === null ? '' : `${renamedFrom} -> `}${path} +${insertions} -${deletions}${binary ? ' binary' : ''}`,
      );
      assert.deepEqual(told, [
        'added added +2 -0',
        'modified b.txt +1 -0',
        'modified bin +0 -0 binary',
        'deleted gone +0 -1',
        'renamed old name -> ñew "name" +0 -0',
      ]);
    },
  },
  {
    name: 'formats a patch that git apply takes',
    run: async ({ world, open }) => {
      await commit(world, { 'a file': 'one\ntwo\n', gone: 'x\n' });
      const before = await revision(world, 'HEAD^{tree}');
      await world.git('rm', '-q', 'gone');
      await commit(world, { 'a file': 'one\n2\n', 'ü/new': 'no line end' });
      const after = await revision(world, 'HEAD^{tree}');
      const host = await open();
      await world.git('checkout', '-q', '--detach', 'HEAD^');
      await world.write('.git/the.patch', await host.formatPatch(before, after));
      await world.git('apply', '--index', '.git/the.patch');
      assert.equal(await world.git('write-tree'), after);
    },
  },
  {
    name: 'merges on objects alone: up to date, fast-forward and clean',
    run: async ({ world, open }) => {
      const base = await commit(world, { a: '1\n2\n3\n4\n5\n', b: 'x\n' });
      await world.git('checkout', '-q', '-b', 'side');
      const theirs = await commit(world, { a: 'one\n2\n3\n4\n5\n' });
      await world.git('checkout', '-q', 'main');
      const ours = await commit(world, { a: '1\n2\n3\n4\nfive\n' });
      const before = await world.git('for-each-ref');
      const host = await open();
      const request = { fallbackBase: base, labels: LABELS };
      assert.deepEqual(await host.merge({ ...request, ours, theirs: base }), { kind: 'up-to-date' });
      assert.deepEqual(await host.merge({ ...request, ours: base, theirs }), { kind: 'fast-forward' });
      const merged = await host.merge({ ...request, ours, theirs });
      assert.equal(merged.kind, 'clean');
      assert.equal(
        await world.git('cat-file', 'blob', `${'tree' in merged ? merged.tree : ''}:a`),
        'one\n2\n3\n4\nfive',
      );
      assert.equal(await world.git('for-each-ref'), before);
      assert.equal(await world.git('status', '--porcelain'), '');
    },
  },
  {
    name: 'names each conflict of a merge and both of its sides, and writes git’s markers',
    run: async ({ world, open }) => {
      const base = await commit(world, { both: 'base\n', deleted: 'base\n', bin: new Uint8Array([0]) });
      await world.git('checkout', '-q', '-b', 'side');
      await world.git('rm', '-q', 'deleted');
      const theirs = await commit(world, { both: 'theirs\n', bin: new Uint8Array([0, 2]), add: 'theirs\n' });
      await world.git('checkout', '-q', 'main');
      const ours = await commit(world, {
        both: 'ours\n',
        deleted: 'ours\n',
        bin: new Uint8Array([0, 1]),
        add: 'ours\n',
      });
      const merged = await (await open()).merge({ ours, theirs, fallbackBase: base, labels: LABELS });
      assert.ok(merged.kind === 'conflicts');
      assert.deepEqual(
        merged.conflicts.map(({ path, kind }) => `${path}: ${kind}`),
        ['add: add/add', 'bin: binary', 'both: content', 'deleted: modify/delete'],
      );
      for (const { path, ours: mine } of merged.conflicts)
        assert.equal(mine?.id, await revision(world, `${ours}:${path}`));
      const marked = await world.git('cat-file', 'blob', `${merged.markedTree}:both`);
      assert.deepEqual(marked.split('\n'), ['<<<<<<< main', 'ours', '=======', 'theirs', '>>>>>>> plan-x']);
    },
  },
  {
    name: 'takes the base that the caller knows where histories have none in common',
    run: async ({ world, open }) => {
      const base = await commit(world, { a: 'x\n', b: 'x\n' });
      await world.git('checkout', '-q', '--orphan', 'side');
      const theirs = await commit(world, { b: 'theirs\n' });
      await world.git('checkout', '-q', '--orphan', 'other');
      const ours = await commit(world, { a: 'ours\n', b: 'x\n' });
      const merged = await (await open()).merge({ ours, theirs, fallbackBase: base, labels: LABELS });
      assert.ok(merged.kind === 'clean');
      assert.deepEqual(await lines(world.git('grep', '-h', '', merged.tree)), ['ours', 'theirs']);
    },
  },
  {
    name: 'reads the identity as git would write it now',
    run: async ({ world, open }) => {
      const host = await open();
      const { author, committer } = await host.readIdentity();
      const told = [
        await world.git('var', 'GIT_AUTHOR_IDENT'),
        await world.git('var', 'GIT_COMMITTER_IDENT'),
      ];
      const ours = [author, committer].map(({ name, email }) => `${name} <${email}>`);
      assert.deepEqual(
        ours,
        told.map((ident) => ident.replace(/ \d+ [+-]\d{4}$/, '')),
      );
    },
  },
  {
    name: 'shows by its fingerprint what somebody changed behind our back',
    run: async ({ world, open }) => {
      await commit(world);
      const host = await open();
      const before = await host.readFingerprint();
      assert.deepEqual(await host.readFingerprint(), before);
      await world.git('tag', 'new');
      await world.git('config', 'core.hooksPath', 'elsewhere');
      await world.write('.git/info/exclude', '*.tmp\n');
      const after = await host.readFingerprint();
      assert.deepEqual(Object.keys(after.refs), ['refs/heads/main', 'refs/tags/new']);
      assert.equal(after.settings['core.hooksPath'], 'elsewhere');
      for (const file of ['config', 'info/exclude']) assert.notEqual(after.files[file], before.files[file]);
    },
  },
];
