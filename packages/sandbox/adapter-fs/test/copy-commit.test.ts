import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { expectUnchanged, snapshot } from '@cleveragents/shared-testing';
import { type ActiveCopy, CopyBench, pictureOf } from './support/copy-bench.ts';

async function refusalOf(
  call: Promise<unknown>,
): Promise<{ code: string; message: string; data: Record<string, never[]> }> {
  return call.then(
    () => Promise.reject(new Error('nothing was refused')),
    (error: unknown) => error as { code: string; message: string; data: Record<string, never[]> },
  );
}

function swapKinds(copy: ActiveCopy): void {
  for (const path of ['becomes-file', 'becomes-folder', 'gone', 'hollow']) copy.remove(path);
  copy.write('becomes-file', 'a file now\n');
  copy.write('becomes-folder/inner.txt', 'below now\n');
  symlinkSync('a.txt', join(copy.path, 'link'));
  mkdirSync(join(copy.path, 'new-hollow'));
  chmodSync(join(copy.path, 'a.txt'), 0o750);
  chmodSync(join(copy.path, 'kept'), 0o700);
}

const KINDS = {
  'a.txt': 'a\n',
  'becomes-file/deep/inner.txt': 'inner\n',
  'becomes-folder': 'a file\n',
  'gone/x.txt': 'x\n',
  'kept/y.txt': 'y\n',
};

describe('a commit of a copy', () => {
  it('takes every kind of change, and a rollback takes each of them back', async () => {
    const bench = new CopyBench(KINDS);
    mkdirSync(join(bench.root, 'hollow'));
    const before = bench.picture();
    const copy = await bench.active();
    swapKinds(copy);
    const wanted = copy.picture();
    const result = await copy.sandbox.commit();
    expect(bench.picture()).toEqual(wanted);
    expect(result.files.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'mode a.txt',
      'added becomes-file',
      'deleted becomes-file/deep/inner.txt',
      'deleted becomes-folder',
      'added becomes-folder/inner.txt',
      'deleted gone/x.txt',
      'deleted hollow/',
      'mode kept/',
      'added link',
      'added new-hollow/',
    ]);
    await copy.sandbox.rollback();
    expect(bench.picture()).toEqual(before);
  });

  it('leaves alone what the plan did not change, whatever the user did there', async () => {
    const bench = new CopyBench();
    const copy = await bench.active();
    copy.write('README.md', 'by the plan\n');
    bench.write('both.txt', 'by the user\n');
    bench.write('src/new.py', 'by the user\n');
    bench.remove('src/main.py');
    await copy.sandbox.commit();
    expect([
      bench.read('README.md'),
      bench.read('both.txt'),
      bench.read('src/new.py'),
      bench.read('src/main.py'),
    ]).toEqual(['by the plan\n', 'by the user\n', 'by the user\n', null]);
  });

  it('names each conflict with both sides, and touches nothing', async () => {
    const bench = new CopyBench({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', 'd.txt': 'd\n' });
    const copy = await bench.active();
    for (const name of ['a', 'b', 'd']) copy.write(`${name}.txt`, 'by the plan\n');
    copy.write('e.txt', 'by the plan\n');
    bench.write('a.txt', 'by the user\n');
    bench.remove('b.txt');
    bench.write('e.txt', 'by the user\n');
    const before = await snapshot(bench.folder, { times: true, leaveOut: ['state'] });
    const refusal = await refusalOf(copy.sandbox.commit());
    expect(refusal.code).toBe('SANDBOX_MERGE_CONFLICT');
    expect(refusal.data['conflicts']).toEqual([
      { path: 'a.txt', kind: 'modified', detail: expect.stringContaining('so did the plan') },
      { path: 'b.txt', kind: 'deleted', detail: expect.stringContaining('the plan changed it') },
      { path: 'e.txt', kind: 'added', detail: expect.stringContaining('both made it') },
    ]);
    expectUnchanged(before, await snapshot(bench.folder, { times: true, leaveOut: ['state'] }));
    expect(copy.sandbox.status).toBe('active');
  });

  it('takes a permission that the user changed for a change', async () => {
    const bench = new CopyBench();
    const copy = await bench.active();
    copy.write('README.md', 'by the plan\n');
    chmodSync(join(bench.root, 'README.md'), 0o600);
    expect((await refusalOf(copy.sandbox.commit())).code).toBe('SANDBOX_MERGE_CONFLICT');
  });

  it('does not write through a link, nor below a file, that the user made of a folder', async () => {
    const bench = new CopyBench({ 'src/a.txt': 'a\n', 'lib/b.txt': 'b\n' });
    const copy = await bench.active();
    copy.write('src/a.txt', 'by the plan\n');
    copy.write('lib/new.txt', 'by the plan\n');
    const elsewhere = bench.elsewhere();
    writeFileSync(join(elsewhere, 'a.txt'), 'a\n');
    bench.remove('src');
    symlinkSync(elsewhere, join(bench.root, 'src'));
    bench.remove('lib');
    bench.write('lib', 'a file of the user\n');
    const refusal = await refusalOf(copy.sandbox.commit());
    expect(refusal.code).toBe('SANDBOX_TARGET_DIRTY');
    expect(refusal.message).toContain('src/a.txt lies below src, which is a link');
    expect(refusal.message).toContain('lib/new.txt lies below lib, which is a file');
    expect(readdirSync(elsewhere)).toEqual(['a.txt']);
  });

  it('does not put a file where a folder holds files of the user', async () => {
    const bench = new CopyBench(KINDS);
    const copy = await bench.active();
    copy.remove('becomes-file');
    copy.write('becomes-file', 'a file now\n');
    bench.write('becomes-file/deep/mine.txt', 'mine\n');
    const refusal = await refusalOf(copy.sandbox.commit());
    expect(refusal.code).toBe('SANDBOX_TARGET_DIRTY');
    expect(bench.read('becomes-file/deep/mine.txt')).toBe('mine\n');
    expect(bench.read('becomes-file/deep/inner.txt')).toBe('inner\n');
  });

  it('keeps a folder that the plan deleted and the user filled', async () => {
    const bench = new CopyBench(KINDS);
    const copy = await bench.active();
    copy.remove('gone');
    bench.write('gone/mine.txt', 'mine\n');
    await copy.sandbox.commit();
    expect([bench.read('gone/mine.txt'), bench.read('gone/x.txt')]).toEqual(['mine\n', null]);
  });

  it('makes a folder anew that the user deleted and the plan wrote into', async () => {
    const bench = new CopyBench(KINDS);
    const copy = await bench.active();
    copy.write('kept/z.txt', 'z\n');
    bench.remove('kept');
    await copy.sandbox.commit();
    expect([bench.read('kept/z.txt'), bench.read('kept/y.txt')]).toEqual(['z\n', null]);
  });

  it('says what the project had already, and an undo leaves that', async () => {
    const bench = new CopyBench();
    const copy = await bench.active();
    copy.write('README.md', 'the same\n');
    copy.write('new.txt', 'new\n');
    bench.write('README.md', 'the same\n');
    const { keptFiles } = await copy.sandbox.commit();
    expect(keptFiles).toEqual([{ path: 'README.md', reason: 'had the new content already' }]);
    await copy.sandbox.rollback();
    expect([bench.read('README.md'), bench.read('new.txt')]).toEqual(['the same\n', null]);
  });

  it('changes the case of a name, and how its letters are composed', async () => {
    const bench = new CopyBench({ 'Name.txt': 'n\n', 'é.txt': 'e\n' });
    const copy = await bench.active();
    renameSync(join(copy.path, 'Name.txt'), join(copy.path, 'name.txt'));
    renameSync(join(copy.path, 'é.txt'), join(copy.path, 'e\u0301.txt'));
    const { renamedFiles } = await copy.sandbox.commit();
    expect(renamedFiles).toEqual([
      { from: 'é.txt', to: 'e\u0301.txt' },
      { from: 'Name.txt', to: 'name.txt' },
    ]);
    expect(readdirSync(bench.root).sort()).toEqual(['e\u0301.txt', 'name.txt']);
  });

  it('refuses when more than half of the files are gone, unless that is allowed', async () => {
    const bench = new CopyBench(
      Object.fromEntries(Array.from({ length: 24 }, (_, n) => [`f${n}.txt`, `${n}\n`])),
    );
    const copy = await bench.active();
    for (let n = 0; n < 13; n++) copy.remove(`f${n}.txt`);
    expect((await refusalOf(copy.sandbox.commit())).code).toBe('SANDBOX_MASS_DELETION');
    await copy.sandbox.commit(undefined, { allowMassDeletion: true });
    expect(readdirSync(bench.root)).toHaveLength(11);
  });

  it('says that a sandbox is gone whose folder was removed', async () => {
    const bench = new CopyBench();
    const copy = await bench.active();
    rmSync(copy.path, { recursive: true });
    expect((await refusalOf(copy.sandbox.commit())).code).toBe('SANDBOX_BROKEN');
    expect((await refusalOf(copy.sandbox.changes())).code).toBe('SANDBOX_BROKEN');
    expect(await copy.sandbox.cleanup()).toMatchObject({ rescuedTo: null });
  });

  it('finds a change that left size and time as they were', async () => {
    const bench = new CopyBench({ 'a.txt': 'aaaa\n' });
    const copy = await bench.active();
    copy.write('a.txt', 'bbbb\n');
    expect((await copy.sandbox.changes()).files).toMatchObject([{ path: 'a.txt', kind: 'modified' }]);
  });

  it('gives a patch that shows what it would do', async () => {
    const bench = new CopyBench({ 'a.txt': 'a\n' });
    const copy = await bench.active();
    appendFileSync(join(copy.path, 'a.txt'), 'b\n');
    const patch = Buffer.from(await copy.sandbox.patch()).toString();
    expect(patch).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n a\n+b\n');
  });

  it('is never half in a copy that is made meanwhile', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `f${index}.txt`);
    const bench = new CopyBench(Object.fromEntries(names.map((name) => [name, 'old\n'])));
    const copy = await bench.active('first');
    for (const name of names) copy.write(name, 'new\n');
    const copies = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => bench.active(name));
    await copy.sandbox.commit();
    for (const { path } of await Promise.all(copies)) {
      const contents = Object.values(pictureOf(path));
      expect(contents).toHaveLength(names.length);
      expect(new Set(contents).size).toBe(1);
    }
  });

  it('takes one apply at a time', async () => {
    const bench = new CopyBench();
    const copies = await Promise.all(['a', 'b', 'c', 'd'].map((name) => bench.active(name)));
    copies.forEach((copy, index) => copy.write(`by-${index}.txt`, `${index}\n`));
    await Promise.all(copies.map(({ sandbox }) => sandbox.commit()));
    expect(copies.map((_, index) => bench.read(`by-${index}.txt`))).toEqual(['0\n', '1\n', '2\n', '3\n']);
  });
});
