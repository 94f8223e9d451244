import { expect, it } from '@jest/globals';
import { withReadablePaths } from '@cleveragents/shared-kernel';

const PLACES: Readonly<Record<string, string>> = {
  '/proc/self/fd/7': '/project/src',
  '/proc/self/fd/71': '/elsewhere',
};

function placeOf(address: string): string {
  const place = PLACES[address];
  if (place === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  return place;
}

it('says of paths what was said of addresses by an open file', () => {
  const error = Object.assign(
    new Error("EACCES: permission denied, rename '/proc/self/fd/7/a' -> '/proc/self/fd/71/b'"),
    { code: 'EACCES', path: '/proc/self/fd/7/a', dest: '/proc/self/fd/71/b' },
  );
  expect(withReadablePaths(error, placeOf)).toBe(error);
  expect(error).toMatchObject({
    code: 'EACCES',
    message: "EACCES: permission denied, rename '/project/src/a' -> '/elsewhere/b'",
    path: '/project/src/a',
    dest: '/elsewhere/b',
  });
});

it('leaves alone what has no address, or one of a file that is closed', () => {
  const error = new Error("EIO: i/o error, open '/proc/self/fd/8/a'");
  expect(withReadablePaths(error, placeOf)).toBe(error);
  expect(error.message).toBe("EIO: i/o error, open '/proc/self/fd/8/a'");
  expect(withReadablePaths('thrown text', placeOf)).toBe('thrown text');
});
