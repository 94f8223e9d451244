import { describe, expect, it } from '@jest/globals';
import { describeOverlap, findOverlaps, type TargetPath } from '@cleveragents/sandbox-domain';

const file = {};
const clean: TargetPath = {
  path: 'a.ts',
  before: file,
  after: file,
  index: 'before',
  disk: 'before',
  occupants: [],
  ignored: false,
  unwatched: false,
  blockedParent: null,
  collidesWith: null,
};
const added: TargetPath = { ...clean, before: null, index: 'absent', disk: 'absent' };
const removed: TargetPath = { ...clean, after: null };

const reasonFor = (path: TargetPath): string | null => findOverlaps([path])[0]?.reason ?? null;

describe('what an apply may overwrite', () => {
  it.each<[string, TargetPath, string | null]>([
    ['a clean file', clean, null],
    ['a file with unsaved work', { ...clean, disk: 'other' }, 'modified'],
    ['a file that the user deleted', { ...clean, disk: 'absent' }, 'deleted'],
    ['a file replaced by an empty directory', { ...clean, disk: 'directory' }, null],
    [
      'a file replaced by a directory with files',
      { ...clean, disk: 'directory', occupants: ['a.ts/x'] },
      'directory',
    ],
    ['a file with staged changes', { ...clean, index: 'other' }, 'staged'],
    ['a file staged and edited again', { ...clean, index: 'other', disk: 'other' }, 'staged'],
    ['a file taken out of the index', { ...clean, index: 'absent' }, 'staged'],
    ['a file that has the new content, unstaged', { ...clean, disk: 'after' }, null],
    ['a file that has the new content, staged', { ...clean, index: 'after', disk: 'after' }, null],
    [
      'a file with the new content staged and other work on disk',
      { ...clean, index: 'after', disk: 'other' },
      'modified',
    ],
    [
      'a file with the new content staged and the old on disk',
      { ...clean, index: 'after', disk: 'before' },
      'modified',
    ],
    ['a file in a conflict', { ...clean, index: 'unmerged', disk: 'other' }, 'unmerged'],
    ['a file that cannot be read', { ...clean, disk: 'inaccessible' }, 'unreadable'],
    ['a file that git was told not to look at', { ...clean, unwatched: true, disk: 'other' }, 'modified'],

    ['nothing where a new file goes', added, null],
    ['an untracked file where a new file goes', { ...added, disk: 'other' }, 'untracked'],
    ['an ignored file where a new file goes', { ...added, disk: 'other', ignored: true }, 'ignored'],
    ['an untracked file with the very content', { ...added, disk: 'after' }, null],
    ['a staged file where a new file goes', { ...added, index: 'other', disk: 'other' }, 'staged'],
    ['a staged file with the very content', { ...added, index: 'after', disk: 'after' }, null],
    ['a staged file with the very content, deleted on disk', { ...added, index: 'after' }, 'deleted'],
    [
      'a directory with files where a new file goes',
      { ...added, disk: 'directory', occupants: ['a.ts/x'] },
      'directory',
    ],
    ['an empty directory where a new file goes', { ...added, disk: 'directory' }, null],

    ['a clean file that goes', removed, null],
    ['a file with work that goes', { ...removed, disk: 'other' }, 'modified'],
    ['a file with staged work that goes', { ...removed, index: 'other' }, 'staged'],
    ['a file that is gone already, unstaged', { ...removed, disk: 'absent' }, null],
    ['a file that is gone already, staged', { ...removed, index: 'absent', disk: 'absent' }, null],
    ['a file out of the index and still there', { ...removed, index: 'absent', disk: 'other' }, 'modified'],

    ['a parent that is a link', { ...clean, blockedParent: { path: 'src', type: 'link' } }, 'linked-parent'],
    ['a parent that is a file', { ...added, blockedParent: { path: 'src', type: 'file' } }, 'file-parent'],
    ['a name that differs only by case', { ...added, collidesWith: 'A.ts' }, 'case-collision'],
  ])('%s: %#', (_what, path, reason) => {
    expect(reasonFor(path)).toBe(reason);
  });

  it('never lets content go that is neither the old nor the new', () => {
    const disks = ['before', 'after', 'other', 'absent', 'directory', 'inaccessible'] as const;
    const indexes = ['before', 'after', 'other', 'absent', 'unmerged'] as const;
    for (const base of [clean, added, removed])
      for (const index of indexes)
        for (const disk of disks)
          for (const ignored of [true, false]) {
            const reason = reasonFor({ ...base, index, disk, ignored });
            if (disk === 'other' || disk === 'inaccessible') expect(reason).not.toBeNull();
            if (index === 'other' || index === 'unmerged') expect(reason).not.toBeNull();
          }
  });

  it('says what is in the way', () => {
    const overlaps = findOverlaps([
      { ...added, path: 'b', disk: 'other', ignored: true },
      { ...clean, path: 'src/a', blockedParent: { path: 'src', type: 'link' } },
    ]);
    expect(overlaps.map(describeOverlap)).toEqual([
      'b is there and ignored by git',
      'src/a lies below src, which is a link',
    ]);
  });
});
