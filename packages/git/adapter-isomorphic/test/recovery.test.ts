import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FaultPoint, forEachFaultPoint } from '@cleveragents/shared-testing';
import { acquireLockFile } from '../src/lock-file.ts';
import { OperationJournal } from '../src/operation-journal.ts';
import { recover } from '../src/isomorphic-operations.ts';
import { SCENE_SCRIPT } from './support/fault-campaigns.ts';
import { litterIn, pictureOf } from './support/picture.ts';
import { Scenes } from './support/scenes.ts';
import { openAt, type TestRepository } from './support/worktrees.ts';

let scenes: Scenes;

beforeAll(() => {
  scenes = new Scenes();
});

afterAll(() => {
  scenes.remove();
});

/** Kills an update at some of its calls, and looks at what `look` finds each time. */
async function afterEachDeath(
  look: (repository: TestRepository, point: FaultPoint) => Promise<void>,
  sample: number,
): Promise<void> {
  await forEachFaultPoint({
    script: SCENE_SCRIPT,
    kinds: ['kill-before'],
    sample,
    prepare: () => scenes.update(),
    scene: ({ repository, operation, request }) => ({
      arguments: [repository.root, operation, JSON.stringify(request)],
      roots: [repository.folder],
    }),
    verify: async ({ repository }, point) => {
      if (point.kind !== 'none') await look(repository, point);
    },
    dispose: async ({ repository }) => repository.remove(),
  });
}

function dirtyPaths(repository: TestRepository): readonly string[] {
  const status = repository.git(
    '--no-optional-locks',
    'status',
    '--porcelain',
    '--untracked-files=all',
    '--no-renames',
  );
  return status.split('\n').map((line) => line.slice(3));
}

describe('between a crash and the recovery', () => {
  it('what the user saved is kept, and all else is as before or as after', async () => {
    await afterEachDeath(async (repository, point) => {
      repository.write('modify.txt', 'saved by the user\n');
      mkdirSync(join(repository.root, 'added'), { recursive: true });
      repository.write('added/new.txt', 'saved by the user\n');
      const report = await recover(await openAt(repository.root));
      const said = `${point.index}: ${JSON.stringify(report.actions)}`;
      assert.ok(!report.actions.some(({ outcome }) => outcome === 'blocked'), said);
      assert.equal(readFileSync(join(repository.root, 'modify.txt'), 'utf8'), 'saved by the user\n', said);
      assert.equal(readFileSync(join(repository.root, 'added/new.txt'), 'utf8'), 'saved by the user\n', said);
      const own = ['notes.txt', 'staged.txt', 'untouched.txt'];
      assert.deepEqual(
        [...dirtyPaths(repository)].sort(),
        ['added/new.txt', 'modify.txt', ...own].sort(),
        said,
      );
      assert.deepEqual(litterIn(join(repository.root, '.git')), [], said);
    }, 12);
  }, 120_000);

  it('a branch that was moved elsewhere is left alone, with all files', async () => {
    const outcomes = new Set<string>();
    await afterEachDeath(async (repository, point) => {
      for (const lock of ['index', 'HEAD', 'refs/heads/main'])
        rmSync(join(repository.root, '.git', `${lock}.lock`), { force: true });
      repository.git('commit', '-q', '--allow-empty', '-m', 'by the user');
      const files = pictureOf(repository.root);
      const head = repository.head();
      const { actions } = await recover(await openAt(repository.root));
      for (const { outcome } of actions) outcomes.add(outcome);
      assert.deepEqual(pictureOf(repository.root), files, `${point.index}: ${JSON.stringify(actions)}`);
      assert.equal(repository.head(), head);
    }, 10);
    expect(outcomes).toContain('blocked');
  }, 120_000);
});

describe('recovery', () => {
  it('leaves the locks of git and of living processes, and removes those of dead ones', async () => {
    const repository = scenes.copy();
    try {
      const own = await acquireLockFile(join(repository.root, '.git/index'));
      writeFileSync(join(repository.root, '.git/HEAD.lock'), '');
      const dead = join(repository.root, '.git/refs/heads/main.lock');
      writeFileSync(dead, readFileSync(own.path, 'utf8').replace(/p\d+\+/, 'p4194000+'));
      await recover(await openAt(repository.root));
      expect(existsSync(own.path)).toBe(true);
      expect(existsSync(join(repository.root, '.git/HEAD.lock'))).toBe(true);
      expect(existsSync(dead)).toBe(false);
      await own.release();
    } finally {
      repository.remove();
    }
  });

  it('leaves alone what a living process is doing', async () => {
    const repository = scenes.copy();
    try {
      const { layout } = await openAt(repository.root);
      const entry = await new OperationJournal(layout).begin('remove-worktree', { path: repository.root });
      expect(await recover(await openAt(repository.root))).toEqual({ actions: [] });
      await entry.complete();
    } finally {
      repository.remove();
    }
  });
});
