import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { removeTree } from '@cleveragents/shared-adapter-fs';
import { bundleScript, forEachFaultPoint, temporaryDirectory } from '@cleveragents/shared-testing';

const NOBODY = 65534;
const script = new URL('./fixtures/remove-tree.ts', import.meta.url);
const GONE = { kept: [] };

function tree(): { within: string; path: string } {
  const { path: within } = temporaryDirectory();
  const path = join(within, 'tree');
  mkdirSync(join(path, 'a', 'b'), { recursive: true });
  writeFileSync(join(path, 'a', 'file'), 'x');
  writeFileSync(join(path, 'a', 'b', 'file'), 'x');
  return { within, path };
}

/** Runs as a user for whom permissions count: the tests may be run by root. */
async function removeAsNobody(within: string, path: string): Promise<unknown> {
  const asRoot = process.getuid?.() === 0;
  const bundles = temporaryDirectory();
  const bundle = await bundleScript(script, bundles.path);
  chmodSync(bundles.path, 0o755);
  const { NODE_OPTIONS: _, ...env } = process.env;
  const user = asRoot ? [NOBODY.toString()] : [];
  return JSON.parse(
    execFileSync(process.execPath, [bundle, within, path, ...user], { env, encoding: 'utf8' }),
  );
}

function giveToNobody(...paths: readonly string[]): void {
  if (process.getuid?.() === 0) for (const path of paths) lchownSync(path, NOBODY, NOBODY);
}

describe('removeTree', () => {
  it('removes a tree, a file, a link; and is content when there is nothing', async () => {
    const { within, path } = tree();
    expect(await removeTree(path, { within })).toEqual(GONE);
    expect(await removeTree(path, { within })).toEqual(GONE);
    expect(await removeTree(join(path, 'far', 'away'), { within })).toEqual(GONE);
    expect(await removeTree(join(within, 'none', 'x'), { within: join(within, 'none') })).toEqual(GONE);
    writeFileSync(join(within, 'file'), '');
    symlinkSync('nowhere', join(within, 'link'));
    expect(await removeTree(join(within, 'file'), { within })).toEqual(GONE);
    expect(await removeTree(join(within, 'link'), { within })).toEqual(GONE);
    expect(readdirSync(within)).toEqual([]);
  });

  it('removes links and leaves alone what they lead to', async () => {
    const { within, path } = tree();
    const precious = tree();
    symlinkSync(precious.path, join(path, 'to a folder'));
    symlinkSync(join(precious.path, 'a', 'file'), join(path, 'to a file'));
    symlinkSync(precious.path, join(within, 'root link'));
    await removeTree(path, { within });
    await removeTree(join(within, 'root link'), { within });
    expect(readdirSync(within)).toEqual([]);
    expect(readFileSync(join(precious.path, 'a', 'b', 'file'), 'utf8')).toBe('x');
  });

  it('does not follow a link that takes the place of a folder while its files are removed', async () => {
    const { within, path } = tree();
    const precious = tree();
    const folder = join(path, 'a', 'b');
    for (let file = 0; file < 500; file += 1) {
      writeFileSync(join(folder, file.toString()), '');
      writeFileSync(join(precious.path, file.toString()), 'precious');
    }
    const removal = removeTree(path, { within });
    while (readdirSync(folder).length > 400) await new Promise((resolve) => setImmediate(resolve));
    renameSync(folder, join(within, 'moved'));
    symlinkSync(precious.path, folder);
    await removal;
    expect(readdirSync(precious.path)).toHaveLength(501);
    expect(await removeTree(path, { within })).toEqual(GONE);
    expect(readdirSync(within)).toEqual(['moved']);
  });

  it('refuses what does not lie inside, links on the way followed', async () => {
    const { within, path } = tree();
    const outside = tree();
    symlinkSync(outside.within, join(within, 'leads out'));
    for (const wrong of [
      within,
      join(within, '..'),
      outside.path,
      `${within}-sibling`,
      join(within, 'leads out', 'tree'),
    ])
      await expect(removeTree(wrong, { within })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect([existsSync(path), existsSync(outside.path)]).toEqual([true, true]);
  });

  it('copes with names that are no UTF-8, and with very long paths', async () => {
    const { within, path } = tree();
    writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xff, 0xfe])]), '');
    // Deeper than a path can tell and a process can hold folders open: built from the inside out.
    let deep = join(within, 'deep 0');
    mkdirSync(deep);
    writeFileSync(join(deep, 'file'), '');
    for (let depth = 1; depth <= 1500; depth += 1) {
      const outer = join(within, `deep ${depth.toString()}`);
      mkdirSync(outer);
      renameSync(deep, join(outer, 'a folder'));
      deep = outer;
    }
    renameSync(deep, join(path, 'deep'));
    expect(await removeTree(path, { within })).toEqual(GONE);
    expect(readdirSync(within)).toEqual([]);
  });

  it('makes read-only folders writable, unreadable ones too', async () => {
    const { within, path } = tree();
    chmodSync(within, 0o777);
    mkdirSync(join(path, 'closed', 'inner'), { recursive: true });
    giveToNobody(
      path,
      ...['a', 'a/file', 'a/b', 'a/b/file', 'closed', 'closed/inner'].map((name) => join(path, name)),
    );
    chmodSync(join(path, 'a', 'b'), 0o555);
    chmodSync(join(path, 'a'), 0o500);
    chmodSync(join(path, 'closed', 'inner'), 0o000);
    chmodSync(join(path, 'closed'), 0o000);
    chmodSync(path, 0o500);
    expect(await removeAsNobody(within, path)).toEqual(GONE);
    expect(existsSync(path)).toBe(false);
  });

  it('tells what it could not remove, and removes the rest', async () => {
    if (process.getuid?.() !== 0) return; // only root can make what its user may not remove
    const { within, path } = tree();
    chmodSync(within, 0o777);
    giveToNobody(path, join(path, 'a'), join(path, 'a', 'file'));
    expect(await removeAsNobody(within, path)).toEqual({
      kept: [{ path: join(path, 'a', 'b', 'file'), code: 'EPERM' }],
    });
    expect(readdirSync(join(path, 'a'))).toEqual(['b']);
  });

  it('ends with the reason of its signal', async () => {
    const { within, path } = tree();
    const stopped = removeTree(path, { within, signal: AbortSignal.abort(new Error('enough')) });
    await expect(stopped).rejects.toThrow('enough');
  });

  it('lets others work while it removes many files', async () => {
    const { within, path } = tree();
    for (let file = 0; file < 2000; file += 1) writeFileSync(join(path, file.toString()), '');
    let turns = 0;
    const removal = removeTree(path, { within });
    let done = false;
    void removal.then(() => {
      done = true;
    });
    while (!done) {
      turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(turns).toBeGreaterThanOrEqual(5);
    expect(await removal).toEqual(GONE);
  });

  it('can be done again wherever it was killed', async () => {
    await forEachFaultPoint({
      script,
      prepare: async () => await Promise.resolve(tree()),
      scene: ({ within, path }) => ({ arguments: [within, path], roots: [within] }),
      verify: async ({ within, path }, { kind }, { stdout }) => {
        if (kind.startsWith('error'))
          expect(JSON.parse(stdout)).toEqual({ kept: [expect.objectContaining({ code: 'EIO' })] });
        expect(await removeTree(path, { within })).toEqual(GONE);
        expect(readdirSync(within)).toEqual([]);
      },
      kinds: ['kill-before', 'kill-after', 'error:EIO'],
    });
  });
});
