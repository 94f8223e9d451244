import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FileCopySandboxFactory } from '@cleveragents/sandbox-adapter-fs';
import { parsePlanId } from '@cleveragents/shared-kernel';
import { FixedClock } from '@cleveragents/shared-testing';
import { type ActiveCopy, CopyBench } from './support/copy-bench.ts';

const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'nothing was refused',
    (error: { code: string }) => error.code,
  );
}

async function applied(bench: CopyBench): Promise<ActiveCopy> {
  const copy = await bench.active();
  copy.write('both.txt', LINES.replace('one', 'ONE'));
  copy.write('new.txt', 'new\n');
  await copy.sandbox.commit();
  return copy;
}

function factoryOf(bench: CopyBench, at = '2026-04-09T17:30:00Z'): FileCopySandboxFactory {
  const folders = { sandboxFolder: bench.sandboxes, stateFolder: bench.state };
  return new FileCopySandboxFactory({ ...folders, clock: new FixedClock(at) });
}

describe('a rollback of work that was not applied', () => {
  it('returns the copy to its base byte for byte, also where both sides changed a file since', async () => {
    const bench = new CopyBench();
    const copy = await bench.active();
    const before = copy.picture();
    copy.write('README.md', 'by the plan\n');
    copy.remove('src');
    bench.write('README.md', 'by the user\n');
    bench.remove('src');
    const { rescuedTo } = await copy.sandbox.rollback();
    expect(copy.picture()).toEqual(before);
    expect(readFileSync(join(rescuedTo ?? '', 'after/README.md'), 'utf8')).toBe('by the plan\n');
  });
});

describe('an undo of an apply', () => {
  it('works when the sandbox is gone, too', async () => {
    const bench = new CopyBench();
    const before = bench.picture();
    const copy = await applied(bench);
    const committed = bench.reopen(copy.sandbox);
    await copy.sandbox.cleanup();
    expect(readdirSync(bench.sandboxes)).toEqual([]);
    await committed.rollback();
    expect(bench.picture()).toEqual(before);
  });

  it('names what was changed since, and offers to keep it', async () => {
    const bench = new CopyBench();
    const { sandbox } = await applied(bench);
    bench.write('both.txt', LINES.replace('one', 'ONE').replace('seven', 'SEVEN'));
    await expect(sandbox.rollback()).rejects.toMatchObject({
      name: 'SandboxRollbackError',
      code: 'SANDBOX_BRANCH_MOVED',
      data: { changed: [{ path: 'both.txt', reason: 'modified' }] },
      hint: expect.stringContaining('--revert') as unknown,
    });
    expect(bench.read('new.txt')).toBe('new\n');
    await sandbox.rollback({ strategy: 'revert' });
    expect([bench.read('both.txt'), bench.read('new.txt')]).toEqual([LINES.replace('seven', 'SEVEN'), null]);
  });

  it('does not revert where later work is in the same lines', async () => {
    const bench = new CopyBench();
    const { sandbox } = await applied(bench);
    bench.write('both.txt', LINES.replace('one', 'ANOTHER ONE'));
    expect(await codeOf(sandbox.rollback({ strategy: 'revert' }))).toBe('SANDBOX_ROLLBACK_FAILED');
    expect([bench.read('both.txt'), bench.read('new.txt')]).toEqual([
      LINES.replace('one', 'ANOTHER ONE'),
      'new\n',
    ]);
  });

  it('is possible for 30 days', async () => {
    const bench = new CopyBench();
    const copy = await applied(bench);
    const committed = bench.reopen(copy.sandbox);
    await copy.sandbox.cleanup();
    const soon = new Date(Date.now() + 29 * 86_400_000).toISOString();
    const late = new Date(Date.now() + 31 * 86_400_000).toISOString();
    expect(await factoryOf(bench, soon).recover(bench.root)).toEqual([]);
    expect(await factoryOf(bench, late).recover(bench.root)).toHaveLength(1);
    expect(await codeOf(committed.rollback())).toBe('SANDBOX_ROLLBACK_FAILED');
  });
});

describe('a process that died before it could say that its apply was done', () => {
  async function unrecorded(bench: CopyBench): Promise<ActiveCopy> {
    const copy = await bench.active();
    const state = copy.sandbox.state;
    copy.write('new.txt', 'new\n');
    await bench.reopen(copy.sandbox).commit();
    return { ...copy, sandbox: bench.make({ state }), path: copy.path } as ActiveCopy;
  }

  it('has its apply said by the next one', async () => {
    const bench = new CopyBench();
    const { sandbox } = await unrecorded(bench);
    expect(await codeOf(sandbox.rollback())).toBe('SANDBOX_INVALID_STATE');
    expect(await codeOf(sandbox.cleanup())).toBe('SANDBOX_INVALID_STATE');
    expect((await sandbox.commit()).addedFiles).toEqual(['new.txt']);
    await sandbox.rollback();
    expect(bench.read('new.txt')).toBe(null);
  });

  it('has what was done since applied instead', async () => {
    const bench = new CopyBench();
    const { sandbox, path } = await unrecorded(bench);
    writeFileSync(join(path, 'new.txt'), 'newer\n');
    rmSync(join(path, 'README.md'));
    expect((await sandbox.commit()).addedFiles).toEqual(['new.txt']);
    expect([bench.read('new.txt'), bench.read('README.md')]).toEqual(['newer\n', null]);
    await sandbox.rollback();
    expect([bench.read('new.txt'), bench.read('README.md')]).toEqual([null, 'read me\n']);
  });
});

describe('a refresh', () => {
  it('has nothing to do where the project stood still', async () => {
    const bench = new CopyBench();
    const copy = await bench.active();
    copy.write('README.md', 'by the plan\n');
    expect(await copy.sandbox.refresh()).toMatchObject({ kind: 'up-to-date', conflicts: [] });
  });

  it('brings in what the user did, merges text, and is the base from then on', async () => {
    const bench = new CopyBench();
    const copy = await bench.active();
    copy.write('both.txt', LINES.replace('one', 'ONE'));
    bench.write('both.txt', LINES.replace('seven', 'SEVEN'));
    bench.write('theirs.txt', 'theirs\n');
    bench.remove('README.md');
    expect(await copy.sandbox.refresh()).toMatchObject({ kind: 'merged', conflicts: [] });
    const merged = LINES.replace('one', 'ONE').replace('seven', 'SEVEN');
    expect([copy.read('both.txt'), copy.read('theirs.txt'), copy.read('README.md')]).toEqual([
      merged,
      'theirs\n',
      null,
    ]);
    expect((await copy.sandbox.changes()).files.map(({ path }) => path)).toEqual(['both.txt']);
    await copy.sandbox.commit();
    expect(bench.read('both.txt')).toBe(merged);
    await copy.sandbox.rollback();
    expect(bench.read('both.txt')).toBe(LINES.replace('seven', 'SEVEN'));
  });

  it('leaves what it cannot decide to a person, and no commit before that', async () => {
    const bench = new CopyBench({
      'text.txt': 'old\n',
      'image.bin': '\0old',
      'a.txt': 'a\n',
      'b.txt': 'b\n',
    });
    const copy = await bench.active();
    copy.write('text.txt', "the plan's\n");
    copy.write('image.bin', '\0plan');
    copy.remove('a.txt');
    copy.write('b.txt', "the plan's\n");
    bench.write('text.txt', "the user's\n");
    bench.write('image.bin', '\0user');
    bench.write('a.txt', "the user's\n");
    bench.remove('b.txt');
    const { kind, conflicts } = await copy.sandbox.refresh();
    expect([kind, conflicts.map((each) => `${each.kind} ${each.path}`)]).toEqual([
      'conflicts',
      ['deleted-by-us a.txt', 'deleted-by-them b.txt', 'binary image.bin', 'content text.txt'],
    ]);
    expect(copy.read('text.txt')).toBe("<<<<<<< plan\nthe plan's\n=======\nthe user's\n>>>>>>> project\n");
    expect([
      copy.read('image.bin'),
      copy.read('image.bin~project'),
      copy.read('a.txt'),
      copy.read('b.txt'),
    ]).toEqual(['\0plan', '\0user', "the user's\n", "the plan's\n"]);
    const open = bench.reopen(copy.sandbox);
    for (const call of [() => open.commit(), () => open.refresh(), () => open.previewCommit()])
      expect(await codeOf(call())).toBe('SANDBOX_UNRESOLVED_CONFLICTS');
    copy.write('text.txt', 'agreed\n');
    expect(await codeOf(open.commit())).toBe('SANDBOX_UNRESOLVED_CONFLICTS');
    copy.remove('image.bin~project');
    await open.commit();
    expect([bench.read('text.txt'), bench.read('image.bin')]).toEqual(['agreed\n', '\0plan']);
  });

  it('writes no conflict markers into a repository that lies in the project', async () => {
    const bench = new CopyBench({ 'nested/.git/HEAD': 'ref: refs/heads/main\n' });
    const copy = await bench.active();
    copy.write('nested/.git/HEAD', 'ref: refs/heads/plan\n');
    bench.write('nested/.git/HEAD', 'ref: refs/heads/user\n');
    await copy.sandbox.refresh();
    expect(copy.read('nested/.git/HEAD')).toBe('ref: refs/heads/plan\n');
    expect(copy.read('nested/.git/HEAD~project')).toBe('ref: refs/heads/user\n');
  });
});

describe('a clean-up', () => {
  it('keeps work that is nowhere else, and a new sandbox begins with it', async () => {
    const bench = new CopyBench();
    const copy = await bench.active();
    copy.write('both.txt', LINES.replace('one', 'ONE'));
    copy.remove('README.md');
    const { rescuedTo } = await copy.sandbox.cleanup();
    expect(existsSync(copy.path)).toBe(false);
    const [work] = await factoryOf(bench).listRescued(bench.root, parsePlanId('plan-1'));
    expect(work).toMatchObject({ ref: rescuedTo, at: '2026-04-09T17:30:00.000Z' });
    bench.write('both.txt', LINES.replace('seven', 'SEVEN'));
    const again = bench.make();
    const { sandboxPath } = await again.create('plan-1', {
      startFrom: { content: rescuedTo ?? '', base: 'whatever it was' },
    });
    expect(readFileSync(join(sandboxPath, 'both.txt'), 'utf8')).toBe(
      LINES.replace('one', 'ONE').replace('seven', 'SEVEN'),
    );
    expect((await again.changes()).files.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'deleted README.md',
      'modified both.txt',
    ]);
  });

  it('keeps nothing that the project has', async () => {
    const bench = new CopyBench();
    const { sandbox } = await applied(bench);
    expect((await sandbox.cleanup()).rescuedTo).toBe(null);
    const untouched = await bench.active('plan-2');
    expect((await untouched.sandbox.cleanup()).rescuedTo).toBe(null);
  });

  it('keeps what was done after the apply', async () => {
    const bench = new CopyBench();
    const copy = await applied(bench);
    copy.write('later.txt', 'later\n');
    const { rescuedTo } = await copy.sandbox.cleanup();
    expect(readFileSync(join(rescuedTo ?? '', 'after/later.txt'), 'utf8')).toBe('later\n');
  });

  it('lets go of rescued work after 30 days', async () => {
    const bench = new CopyBench();
    const copy = await bench.active();
    copy.write('new.txt', 'new\n');
    await copy.sandbox.cleanup();
    const id = parsePlanId('plan-1');
    await factoryOf(bench, '2026-05-09T17:00:00Z').recover(bench.root);
    expect(await factoryOf(bench).listRescued(bench.root, id)).toHaveLength(1);
    await factoryOf(bench, '2026-05-10T17:31:00Z').recover(bench.root);
    expect(await factoryOf(bench).listRescued(bench.root, id)).toHaveLength(0);
  });

  it('works when the project is gone', async () => {
    const bench = new CopyBench();
    const copy = await bench.active();
    copy.write('new.txt', 'new\n');
    rmSync(bench.root, { recursive: true });
    expect(await codeOf(copy.sandbox.commit())).toBe('SANDBOX_SOURCE_MISSING');
    const { rescuedTo } = await copy.sandbox.cleanup();
    expect(readFileSync(join(rescuedTo ?? '', 'after/new.txt'), 'utf8')).toBe('new\n');
  });
});
