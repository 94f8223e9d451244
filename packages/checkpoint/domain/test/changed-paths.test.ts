import { expect, it } from '@jest/globals';
import { parseRelativePath } from '@cleveragents/shared-kernel';
import { changedPaths, type SnapshotEntry } from '@cleveragents/checkpoint-domain';

const file: SnapshotEntry = { kind: 'file', mode: 0o644, contentId: 'x' };
const directory: SnapshotEntry = { kind: 'directory', mode: 0o755 };

it('names files, links, empty directories and directories of another mode or kind, but not those that come or go along', () => {
  const steps = [
    { path: 'along', present: null, wanted: directory },
    { path: 'along/file', present: null, wanted: file },
    { path: 'empty', present: directory, wanted: null },
    { path: 'mode', present: directory, wanted: { ...directory, mode: 0o700 } },
    { path: 'mode/file', present: file, wanted: null },
    { path: 'to-file', present: directory, wanted: file },
    { path: 'to-file/file', present: file, wanted: null },
  ].map((step) => ({ ...step, path: parseRelativePath(step.path) }));
  expect(changedPaths(steps)).toEqual([
    'along/file',
    'empty',
    'mode',
    'mode/file',
    'to-file',
    'to-file/file',
  ]);
});
