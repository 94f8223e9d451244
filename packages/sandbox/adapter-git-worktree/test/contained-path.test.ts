import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '@cleveragents/shared-testing';
import { containedPath } from '../src/contained-path.ts';

describe('a path inside a sandbox', () => {
  const root = temporaryDirectory().path;
  const outside = temporaryDirectory().path;
  mkdirSync(join(root, 'dir'));
  symlinkSync(outside, join(root, 'out'));
  symlinkSync('dir', join(root, 'in'));
  symlinkSync('/etc/passwd', join(root, 'passwd'));
  symlinkSync('out', join(root, 'chain'));
  symlinkSync('loop', join(root, 'loop'));
  symlinkSync('nowhere', join(root, 'dangling'));
  symlinkSync(join(outside, 'nowhere'), join(root, 'dangling-out'));
  symlinkSync(join(root, 'dir'), join(root, 'absolute-in'));
  symlinkSync('../../../../etc', join(root, 'dir', 'relative-out'));

  it.each(['dir', 'dir/new/file', 'new', 'in/file', 'dangling', 'absolute-in/x', '..foo'])(
    '%s is found',
    async (path) => {
      expect(await containedPath(root, path)).toBe(join(root, path));
    },
  );

  it('may be the root', async () => {
    expect(await containedPath(root, '.')).toBe(root);
  });

  it.each([
    '../x',
    'dir/../../x',
    '/etc/passwd',
    'out',
    'out/file',
    'passwd',
    'chain/file',
    'dangling-out',
    'in/relative-out/passwd',
  ])('%s leads out and is refused', async (path) => {
    await expect(containedPath(root, path)).rejects.toThrow('Path traversal not allowed');
  });

  it('that goes in circles is refused', async () => {
    await expect(containedPath(root, 'loop/x')).rejects.toThrow('loop');
  });
});
