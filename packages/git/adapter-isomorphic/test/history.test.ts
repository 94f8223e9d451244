import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ObjectId } from '@cleveragents/git-domain';
import { git, gitBytes, makeProject, revision } from '@cleveragents/shared-testing/real-git';
import { listCommits } from '../src/history.ts';
import { ObjectDatabase } from '../src/object-database.ts';

let root: string;
let objects: ObjectDatabase;
beforeEach(() => {
  ({ root } = makeProject());
  objects = new ObjectDatabase(join(root, '.git/objects'));
});
afterEach(() => {
  objects.close();
});

/** An empty commit on the branch that is checked out, `minutes` after a fixed hour. */
function commitAt(minutes: number, message: string): ObjectId {
  const date = `${1_700_000_000 + minutes * 60} +0000`;
  gitBytes(root, ['commit', '-q', '--allow-empty', '-m', message], {
    environment: { GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date },
  });
  return revision(root, 'HEAD');
}

function mergeAt(minutes: number, branch: string): ObjectId {
  const date = `${1_700_000_000 + minutes * 60} +0000`;
  gitBytes(root, ['merge', '-q', '--no-ff', '-m', `merge ${branch}`, branch], {
    environment: { GIT_COMMITTER_DATE: date },
  });
  return revision(root, 'HEAD');
}

async function expectAgreement(from: string, to: string, limit = 100): Promise<readonly string[]> {
  const range = { from: revision(root, from), to: revision(root, to), limit };
  const ids = (await listCommits(objects, range)).map(({ id }) => id);
  const expected = git(root, 'rev-list', `--max-count=${limit}`, to, `^${from}`).split('\n').filter(Boolean);
  expect(ids).toEqual(expected);
  return ids;
}

describe('the commits of a range are those of git rev-list', () => {
  it('on a straight line, newest first, at most as many as asked for', async () => {
    commitAt(0, 'base');
    git(root, 'tag', 'base');
    for (let at = 1; at <= 5; at++) commitAt(at, `${at}`);
    expect(await expectAgreement('base', 'main')).toHaveLength(5);
    expect(await expectAgreement('base', 'main', 2)).toHaveLength(2);
    expect(await expectAgreement('main', 'base')).toEqual([]);
    expect(await expectAgreement('main', 'main')).toEqual([]);
  });

  it('where branches part and join again', async () => {
    commitAt(0, 'base');
    git(root, 'tag', 'base');
    git(root, 'checkout', '-q', '-b', 'side');
    commitAt(2, 'side 1');
    commitAt(5, 'side 2');
    git(root, 'checkout', '-q', 'main');
    commitAt(3, 'main 1');
    mergeAt(6, 'side');
    commitAt(7, 'after');
    expect(await expectAgreement('base', 'main')).toHaveLength(5);
    expect(await expectAgreement('side', 'main')).toHaveLength(3);
    expect(await expectAgreement('main~1', 'main')).toHaveLength(1);
  });

  it('where a clock was wrong', async () => {
    commitAt(0, 'root');
    commitAt(50, 'far ahead');
    git(root, 'tag', 'ahead');
    commitAt(1, 'back again');
    git(root, 'tag', 'base');
    commitAt(2, 'new');
    git(root, 'checkout', '-q', '-b', 'side', 'ahead');
    commitAt(3, 'side');
    await expectAgreement('base', 'main');
    await expectAgreement('main', 'side');
    await expectAgreement('side', 'main');
  });
});
