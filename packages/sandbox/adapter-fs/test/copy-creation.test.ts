import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { expectUnchanged, snapshot, temporaryDirectory } from '@cleveragents/shared-testing';
import { CopyBench } from './support/copy-bench.ts';

const refused = (code: string): object => expect.objectContaining({ name: 'SandboxCreationError', code });

describe('a copy', () => {
  it('is the project: files, links as links, permissions, empty folders, odd names', async () => {
    const bench = new CopyBench({
      'a.txt': 'a\n',
      'deep/er/b.bin': '\0\u0001',
      'with\nnewline': 'x',
      'é.txt': 'NFC',
    });
    bench.write('e\u0301.txt', 'NFD');
    mkdirSync(join(bench.root, 'empty'));
    chmodSync(join(bench.root, 'a.txt'), 0o4751);
    chmodSync(join(bench.root, 'deep'), 0o555);
    symlinkSync('/etc/passwd', join(bench.root, 'out'));
    symlinkSync('nowhere', join(bench.root, 'dangling'));
    const copy = await bench.active();
    expect(copy.picture()).toEqual(bench.picture());
    chmodSync(join(bench.root, 'deep'), 0o755);
  });

  it('keeps times to the microsecond, and shares no file with the project', async () => {
    const bench = new CopyBench({ 'a.txt': 'a\n', 'folder/b.txt': 'b\n' });
    utimesSync(join(bench.root, 'a.txt'), 1_000_000_000.123456, 1_000_000_000.654321);
    utimesSync(join(bench.root, 'folder'), 1_000_000_000, 1_100_000_000);
    const { path } = await bench.active();
    const [original, copy] = [statSync(join(bench.root, 'a.txt')), statSync(join(path, 'a.txt'))];
    expect(Math.abs(copy.mtimeMs - original.mtimeMs)).toBeLessThan(0.002);
    expect(statSync(join(path, 'folder')).mtimeMs).toBe(1_100_000_000_000);
    expect([copy.nlink, copy.ino === original.ino]).toEqual([1, false]);
  });

  it('leaves the project exactly as it is, times included', async () => {
    const bench = new CopyBench();
    const before = await snapshot(bench.root, { times: true });
    await bench.active();
    expectUnchanged(before, await snapshot(bench.root, { times: true }));
  });

  it('leaves out what patterns name, and nothing of that is ever applied', async () => {
    const bench = new CopyBench({
      'a.log': '1',
      'keep.log': '2',
      'build/x/y': '3',
      'src/build/z': '4',
      'src/a.ts': '5',
    });
    const sandbox = bench.make({ exclude: ['*.log', '!keep.log', '/build/'] });
    const { sandboxPath } = await sandbox.create('plan-1', { exclude: ['src/build'] });
    expect(readdirSync(sandboxPath).sort()).toEqual(['keep.log', 'src']);
    expect(readdirSync(join(sandboxPath, 'src'))).toEqual(['a.ts']);
    writeFileSync(join(sandboxPath, 'new.log'), 'ours');
    mkdirSync(join(sandboxPath, 'build'));
    writeFileSync(join(sandboxPath, 'build/out'), 'ours');
    expect((await sandbox.changes()).files).toEqual([]);
    await sandbox.commit();
    expect(bench.read('a.log')).toBe('1');
    expect(existsSync(join(bench.root, 'build/out'))).toBe(false);
  });

  it('links what it is told to link, and never takes that for a change', async () => {
    const bench = new CopyBench({ 'a.txt': 'a\n', 'node_modules/x/index.js': 'x' });
    const sandbox = bench.make();
    const { sandboxPath } = await sandbox.create('plan-1', { link: ['node_modules'] });
    expect(lstatSync(join(sandboxPath, 'node_modules')).isSymbolicLink()).toBe(true);
    expect((await sandbox.changes()).files).toEqual([]);
    await sandbox.cleanup();
    expect(bench.read('node_modules/x/index.js')).toBe('x');
  });

  it('names all that it cannot hold, and leaves nothing behind', async () => {
    const bench = new CopyBench();
    execFileSync('mkfifo', [join(bench.root, 'queue')]);
    execFileSync('mkfifo', [join(bench.root, 'src/other')]);
    writeFileSync(Buffer.concat([Buffer.from(`${bench.root}/bad-`), Buffer.from([0xff])]), 'x');
    const sandbox = bench.make();
    await expect(sandbox.create('plan-1')).rejects.toEqual(refused('SANDBOX_UNSUPPORTED_FILES'));
    await expect(sandbox.create('plan-1')).rejects.toMatchObject({
      data: {
        files: [
          { path: 'bad-ÿ', reason: 'has a name that is no UTF-8' },
          { path: 'queue', reason: 'is a pipe' },
          { path: 'src/other', reason: 'is a pipe' },
        ],
      },
      hint: expect.stringContaining('--exclude') as unknown,
    });
    expect(sandbox.status).toBe('pending');
    expect([...readdirSync(bench.sandboxes), ...readdirSync(sandboxesKept(bench))]).toEqual([]);
  });

  it('takes a name that shows as a replacement character for what it is', async () => {
    const bench = new CopyBench({ '\uFFFD.txt': 'a real U+FFFD\n' });
    expect((await bench.active()).read('\uFFFD.txt')).toBe('a real U+FFFD\n');
  });

  it('is not made into the project, nor of what lies among sandboxes', async () => {
    const bench = new CopyBench();
    const blocked = refused('SANDBOX_CREATION_FAILED');
    const inside = bench.make({ sandboxFolder: join(bench.root, 'sandboxes') });
    await expect(inside.create('plan-1')).rejects.toEqual(blocked);
    await expect(bench.make({ stateFolder: join(bench.root, 'kept') }).create('plan-1')).rejects.toEqual(
      blocked,
    );
    await expect(bench.make({ sandboxFolder: bench.folder }).create('plan-1')).rejects.toEqual(blocked);
    const { path } = await bench.active();
    await expect(bench.make({ originalPath: path }).create('plan-2')).rejects.toEqual(blocked);
    expect(readdirSync(bench.root).sort()).toEqual(['README.md', 'both.txt', 'src']);
  });

  it('works with folders of the system when it is given none, for a project in the temp folder too', async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'cleveragents-test-project-')));
    writeFileSync(join(root, 'a.txt'), 'a\n');
    const bench = new CopyBench({});
    const sandbox = bench.make({ originalPath: root, sandboxFolder: undefined });
    const { sandboxPath } = await sandbox.create('plan-1');
    expect(sandboxPath.startsWith(join(realpathSync(tmpdir()), 'ca-sandbox-plan-1-'))).toBe(true);
    expect(statSync(sandboxPath).mode & 0o777).toBe(0o700);
    await sandbox.cleanup();
    execFileSync('rm', ['-r', root]);
  });

  it('needs a folder', async () => {
    const bench = new CopyBench({ 'file.txt': 'x' });
    const missing = refused('SANDBOX_SOURCE_MISSING');
    await expect(bench.make({ originalPath: join(bench.root, 'no') }).create('p')).rejects.toEqual(missing);
    await expect(bench.make({ originalPath: join(bench.root, 'file.txt') }).create('p')).rejects.toEqual(
      missing,
    );
    await expect(bench.make().create('p', { link: ['no'] })).rejects.toEqual(missing);
  });

  it('follows the link that the project itself is', async () => {
    const bench = new CopyBench();
    const link = join(temporaryDirectory().path, 'link');
    symlinkSync(bench.root, link);
    const sandbox = bench.make({ originalPath: link });
    expect(await sandbox.create('p')).toMatchObject({ originalPath: bench.root });
  });

  it('can be aborted, and leaves nothing behind', async () => {
    const bench = new CopyBench(
      Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`f${n}.txt`, `${n}`])),
    );
    const controller = new AbortController();
    const onProgress = ({ done }: { readonly done: number }): void => {
      if (done >= 400) controller.abort();
    };
    const creation = bench.make().create('plan-1', { signal: controller.signal, onProgress });
    await expect(creation).rejects.toMatchObject({ code: 'SANDBOX_ABORTED' });
    expect(readdirSync(bench.sandboxes)).toEqual([]);
  });
});

function sandboxesKept(bench: CopyBench): string {
  const [project = ''] = readdirSync(bench.state);
  return join(bench.state, project, 'sandboxes');
}
