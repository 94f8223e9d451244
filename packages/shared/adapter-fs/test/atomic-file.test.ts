import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sweepTemporaryFiles, temporaryName, writeFileAtomically } from '@cleveragents/shared-adapter-fs';
import { forEachFaultPoint, temporaryDirectory } from '@cleveragents/shared-testing';
import { writeThrough } from '../src/atomic-file.ts';

const fixture = (name: string): URL => new URL(`./fixtures/${name}`, import.meta.url);

describe('writeFileAtomically', () => {
  it('writes text or bytes, and leaves nothing else in the folder', async () => {
    const { path } = temporaryDirectory();
    await writeFileAtomically(join(path, 'text'), 'grün');
    await writeFileAtomically(join(path, 'bytes'), Uint8Array.of(0, 255), { durable: false });
    expect(readFileSync(join(path, 'text'), 'utf8')).toBe('grün');
    expect([...readFileSync(join(path, 'bytes'))]).toEqual([0, 255]);
    expect(readdirSync(path).sort()).toEqual(['bytes', 'text']);
  });

  it('keeps the mode of the file it replaces, unless it is given one', async () => {
    const { path } = temporaryDirectory();
    writeFileSync(join(path, 'script'), '', { mode: 0o750 });
    await writeFileAtomically(join(path, 'script'), 'echo');
    await writeFileAtomically(join(path, 'secret'), 'x', { mode: 0o600 });
    await writeFileAtomically(join(path, 'shared'), 'x', { mode: 0o666 });
    const modes = ['script', 'secret', 'shared'].map((name) => statSync(join(path, name)).mode & 0o777);
    expect(modes).toEqual([0o750, 0o600, 0o666]);
  });

  it('replaces a link and leaves alone what it leads to', async () => {
    const { path } = temporaryDirectory();
    writeFileSync(join(path, 'precious'), 'precious', { mode: 0o600 });
    symlinkSync('precious', join(path, 'link'));
    await writeFileAtomically(join(path, 'link'), 'new');
    expect(lstatSync(join(path, 'link')).isFile()).toBe(true);
    expect(readFileSync(join(path, 'precious'), 'utf8')).toBe('precious');
  });

  it('never writes through something that was planted at the temporary name', async () => {
    const { path } = temporaryDirectory();
    writeFileSync(join(path, 'precious'), 'precious');
    symlinkSync('precious', join(path, 'planted'));
    const write = writeThrough(join(path, 'planted'), join(path, 'target'), 'new', {});
    await expect(write).rejects.toMatchObject({ code: 'EEXIST' });
    expect(readFileSync(join(path, 'precious'), 'utf8')).toBe('precious');
    expect(readdirSync(path).sort()).toEqual(['planted', 'precious']);
  });

  it('replaces nothing when it is to be exclusive', async () => {
    const { path } = temporaryDirectory();
    await writeFileAtomically(join(path, 'name'), 'first', { exclusive: true, mode: 0o640 });
    const second = writeFileAtomically(join(path, 'name'), 'second', { exclusive: true });
    await expect(second).rejects.toMatchObject({ code: 'EEXIST' });
    expect(readFileSync(join(path, 'name'), 'utf8')).toBe('first');
    expect(statSync(join(path, 'name')).mode & 0o777).toBe(0o640);
    expect(readdirSync(path)).toEqual(['name']);
  });

  it('lets exactly one of many exclusive writers win', async () => {
    const { path } = temporaryDirectory();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, writer) =>
        writeFileAtomically(join(path, 'name'), String(writer), { exclusive: true, durable: false }),
      ),
    );
    const winners = outcomes.flatMap(({ status }, writer) =>
      status === 'fulfilled' ? [String(writer)] : [],
    );
    expect(winners).toEqual([readFileSync(join(path, 'name'), 'utf8')]);
  });

  it('leaves nothing behind when the target can not be replaced', async () => {
    const { path } = temporaryDirectory();
    mkdirSync(join(path, 'folder', 'full'), { recursive: true });
    await expect(writeFileAtomically(join(path, 'folder'), 'x')).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(writeFileAtomically(join(path, 'none', 'x'), 'x')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(readdirSync(path)).toEqual(['folder']);
  });

  it('leaves old contents or new, whole, wherever it dies or fails', async () => {
    const { runs } = await forEachFaultPoint({
      script: fixture('write-atomically.ts'),
      prepare: async () => {
        const { path } = temporaryDirectory();
        writeFileSync(join(path, 'file'), 'old contents', { mode: 0o600 });
        return await Promise.resolve(path);
      },
      scene: (path) => ({ arguments: [join(path, 'file')], roots: [path] }),
      verify: async (path, { kind }) => {
        if (!kind.startsWith('kill') && kind !== 'error-from:EROFS')
          expect(readdirSync(path)).toEqual(['file']);
        expect(['old contents', 'new contents']).toContain(readFileSync(join(path, 'file'), 'utf8'));
        expect(statSync(join(path, 'file')).mode & 0o777).toBe(0o600);
        await sweepTemporaryFiles(path);
        expect(readdirSync(path)).toEqual(['file']);
      },
      kinds: [
        'kill-before',
        'kill-during',
        'kill-after',
        'error-from:ENOSPC',
        'error:EIO',
        'error-from:EROFS',
      ],
    });
    expect(runs).toBeGreaterThan(20);
  });
});

describe('sweepTemporaryFiles', () => {
  it('leaves the files of running processes, and all others', async () => {
    const { path } = temporaryDirectory();
    const names = [temporaryName(), '.cleveragents-.tmp', '.cleveragents-mine.tmp', 'x.tmp'].sort();
    for (const name of names) writeFileSync(join(path, name), '');
    await sweepTemporaryFiles(path);
    await sweepTemporaryFiles(join(path, 'none'));
    expect(readdirSync(path).sort()).toEqual(names);
  });
});
