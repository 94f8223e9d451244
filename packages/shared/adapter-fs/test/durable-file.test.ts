import { describe, expect, it } from '@jest/globals';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createFile, putInPlace, replaceFile, writeNewFile } from '@cleveragents/shared-adapter-fs';
import { temporaryDirectory } from '@cleveragents/shared-testing';

const parts = (...texts: readonly string[]): readonly Buffer[] => texts.map((text) => Buffer.from(text));

describe('replaceFile', () => {
  it('puts all parts, however many and however large, and leaves nothing else in the folder', () => {
    const { path } = temporaryDirectory();
    const large = Buffer.alloc(600_000, 'x');
    replaceFile(join(path, 'it'), [...parts('a', 'b'), large, ...parts('c')], 'power-cut', 0o640);
    expect(readFileSync(join(path, 'it')).equals(Buffer.concat([...parts('ab'), large, ...parts('c')]))).toBe(
      true,
    );
    expect(statSync(join(path, 'it')).mode & 0o777).toBe(0o640);
    expect(readdirSync(path)).toEqual(['it']);
  });

  it('replaces a link, and leaves alone what it leads to', () => {
    const { path } = temporaryDirectory();
    writeFileSync(join(path, 'precious'), 'precious');
    symlinkSync('precious', join(path, 'link'));
    replaceFile(join(path, 'link'), parts('new'), 'process', 0o600);
    expect(lstatSync(join(path, 'link')).isFile()).toBe(true);
    expect(readFileSync(join(path, 'precious'), 'utf8')).toBe('precious');
  });

  it('leaves the old file and no temporary one when the new one cannot take its place', () => {
    const { path } = temporaryDirectory();
    mkdirSync(join(path, 'folder', 'full'), { recursive: true });
    expect(() => {
      replaceFile(join(path, 'folder'), parts('new'), 'process', 0o600);
    }).toThrow(expect.objectContaining({ syscall: 'rename' }));
    expect(readdirSync(path)).toEqual(['folder']);
  });
});

describe('createFile', () => {
  it.each(['file', 'dangling link', 'folder'])('replaces nothing: a %s keeps its name', (kind) => {
    const { path } = temporaryDirectory();
    const target = join(path, 'it');
    if (kind === 'file') writeFileSync(target, 'first');
    else if (kind === 'folder') mkdirSync(target);
    else symlinkSync('nowhere', target);
    expect(() => {
      createFile(target, parts('second'), 'power-cut', 0o600);
    }).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(readdirSync(path)).toEqual(['it']);
    if (kind === 'file') expect(readFileSync(target, 'utf8')).toBe('first');
    if (kind === 'dangling link') expect(readlinkSync(target)).toBe('nowhere');
  });

  it('takes a name that is free', () => {
    const { path } = temporaryDirectory();
    createFile(join(path, 'it'), parts('first'), 'power-cut', 0o600);
    expect(readFileSync(join(path, 'it'), 'utf8')).toBe('first');
    expect(readdirSync(path)).toEqual(['it']);
  });
});

it('writeNewFile never writes through a link', () => {
  const { path } = temporaryDirectory();
  symlinkSync('elsewhere', join(path, 'planted'));
  expect(() => {
    writeNewFile(join(path, 'planted'), parts('x'), 'process', 0o600);
  }).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  expect(readdirSync(path)).toEqual(['planted']);
});

it('putInPlace gives a file its second name, and never one that is taken', () => {
  const { path } = temporaryDirectory();
  for (const name of ['one', 'other']) writeFileSync(join(path, name), name);
  putInPlace(join(path, 'one'), join(path, 'again'));
  expect(readFileSync(join(path, 'again'), 'utf8')).toBe('one');
  expect(() => {
    putInPlace(join(path, 'one'), join(path, 'other'));
  }).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  expect(readFileSync(join(path, 'other'), 'utf8')).toBe('other');
});
