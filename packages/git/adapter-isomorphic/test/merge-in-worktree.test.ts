import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ObjectId } from '@cleveragents/git-domain';
import type { LinkedWorktree } from '@cleveragents/git-ports';
import { git } from '@cleveragents/shared-testing/real-git';
import { listUncommitted } from '../src/list-uncommitted.ts';
import { mergeOnObjects } from '../src/merge.ts';
import { pictureOf } from './support/picture.ts';
import { openAt, TestRepository, writeIn } from './support/worktrees.ts';

let repository: TestRepository;

beforeEach(() => {
  repository = new TestRepository({
    'both.txt': '1\n2\n3\n',
    'ours.txt': 'x\n',
    'gone.txt': 'x\n',
    'clean.txt': 'x\n',
  });
});

afterEach(() => {
  repository.remove();
});

/** A worktree whose branch and main have gone different ways. */
async function diverged(): Promise<{ worktree: LinkedWorktree; ours: ObjectId; theirs: ObjectId }> {
  const worktree = await repository.addWorktree('sandbox');
  writeIn(worktree.path, 'both.txt', '1\nours\n3\n');
  writeIn(worktree.path, 'gone.txt', 'edited\n');
  writeIn(worktree.path, 'ours.txt', 'ours\n');
  git(worktree.path, 'commit', '-qam', 'ours');
  repository.git('rm', '-q', 'gone.txt');
  const theirs = repository.commit('theirs', {
    'both.txt': '1\ntheirs\n3\n',
    'clean.txt': 'theirs\n',
    'new.txt': 'n\n',
  });
  return { worktree, ours: git(worktree.path, 'rev-parse', 'HEAD') as ObjectId, theirs };
}

async function mergeInto(worktree: LinkedWorktree, ours: ObjectId, theirs: ObjectId): Promise<void> {
  const opened = await repository.open();
  const labels = { ours: 'HEAD', theirs: 'main' };
  const result = await mergeOnObjects(opened, { ours, theirs, fallbackBase: ours, labels });
  if (result.kind !== 'conflicts') throw new Error(result.kind);
  await worktree.beginMerge({ theirs, ...result, message: "Merge branch 'main'" });
}

describe('a conflicted merge in a worktree', () => {
  it('is as git merge would have left it', async () => {
    const { worktree, ours, theirs } = await diverged();
    const expected = join(repository.folder, 'expected');
    repository.git('worktree', 'add', '-q', '--detach', expected, ours);
    expect(() => git(expected, 'merge', '-q', 'main')).toThrow();
    await mergeInto(worktree, ours, theirs);
    for (const command of [
      ['status', '--porcelain'],
      ['ls-files', '--stage'],
      ['diff', '--name-only'],
    ])
      expect(git(worktree.path, ...command)).toBe(git(expected, ...command));
    expect(pictureOf(worktree.path)).toEqual(pictureOf(expected));
    expect(git(worktree.path, 'rev-parse', 'MERGE_HEAD')).toBe(theirs);
    expect(await worktree.capture()).toMatchObject({ unresolved: ['both.txt'], mergeHead: theirs });
  });

  it('ends with the commit that git makes of it, or with ours', async () => {
    const { worktree, ours, theirs } = await diverged();
    await mergeInto(worktree, ours, theirs);
    writeIn(worktree.path, 'both.txt', 'resolved\n');
    git(worktree.path, 'add', '-A');
    const { tree, unresolved, mergeHead } = await worktree.capture();
    expect({ unresolved, mergeHead }).toEqual({ unresolved: [], mergeHead: theirs });
    const { objects } = await repository.open();
    const who = { name: 'A', email: 'a@b', timestampSeconds: 1_700_000_000, offsetMinutes: 0 };
    const parents = [ours, theirs];
    const commit = await objects.writeCommit({
      tree,
      parents,
      author: who,
      committer: who,
      message: 'merge\n',
    });
    await worktree.record(
      commit,
      { name: 'refs/heads/cleveragents/sandbox', expected: ours },
      'commit (merge)',
    );
    expect(git(worktree.path, 'status', '--porcelain', '--branch')).toBe('## cleveragents/sandbox');
    expect((await worktree.capture()).mergeHead).toBeNull();
  });

  it('begins only where nothing is uncommitted, and otherwise changes nothing', async () => {
    const { worktree, ours, theirs } = await diverged();
    writeIn(worktree.path, 'clean.txt', 'mine\n');
    await expect(mergeInto(worktree, ours, theirs)).rejects.toMatchObject({ code: 'GIT_TARGET_CHANGED' });
    expect(git(worktree.path, 'status', '--porcelain')).toBe(' M clean.txt');
    expect(readFileSync(join(worktree.path, 'clean.txt'), 'utf8')).toBe('mine\n');
  });
});

describe('the uncommitted changes of the original', () => {
  const names = fc.constantFrom('both.txt', 'ours.txt', 'new', 'x.log', 'd/e', 'd/f');
  const actions = fc.array(
    fc.tuple(fc.constantFrom('write', 'remove', 'add', 'forget', 'announce', 'commit'), names),
    {
      maxLength: 8,
    },
  );

  it('are those that git status lists', async () => {
    repository.commit('ignore', { '.gitignore': '*.log\n' });
    await fc.assert(
      fc.asyncProperty(actions, async (list) => {
        for (const [kind, path] of list) act(kind, path);
        const opened = await openAt(repository.root);
        const layout = { ...opened.layout, workTree: repository.root };
        const listed = await listUncommitted({ ...opened, layout });
        expect(listed.map(({ path, staged, kind }) => `${staged ? 'staged ' : ''}${kind} ${path}`)).toEqual(
          byGit(),
        );
      }),
      { numRuns: 20 },
    );
  }, 60_000);

  function act(kind: string, path: string): void {
    if (kind === 'write') repository.write(path, `${Math.random()}`);
    if (kind === 'remove') repository.git('rm', '-qf', '--ignore-unmatch', '--', path);
    if (kind === 'add') repository.git('add', '-A');
    if (kind === 'forget') repository.git('rm', '-q', '--cached', '--ignore-unmatch', '-f', '--', path);
    if (kind === 'announce') repository.git('add', '-N', '.');
    if (kind === 'commit') repository.git('commit', '-qam', 'x', '--allow-empty');
  }

  const KINDS: Readonly<Record<string, string>> = { A: 'added', M: 'modified', D: 'deleted' };

  function byGit(): readonly string[] {
    const status = repository.git('--no-optional-locks', 'status', '--porcelain', '-uall', '--no-renames');
    return status
      .split('\n')
      .filter((line) => line !== '')
      .sort((a, b) =>
        a.slice(3) < b.slice(3)
          ? -1
          : a.slice(3) > b.slice(3)
            ? 1
            : Number(a[0] === '?') - Number(b[0] === '?'),
      )
      .flatMap((line) => {
        const [index = ' ', disk = ' ', path] = [line[0], line[1], line.slice(3)];
        if (index === '?') return [`untracked ${path}`];
        return [
          ...(index === ' ' ? [] : [`staged ${KINDS[index]} ${path}`]),
          ...(disk === ' ' ? [] : [`${KINDS[disk]} ${path}`]),
        ];
      });
  }
});
