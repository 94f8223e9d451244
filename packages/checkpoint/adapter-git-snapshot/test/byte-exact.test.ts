import { describe, expect, it } from '@jest/globals';
import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { planRestore } from '@cleveragents/checkpoint-domain';
import {
  createRepository,
  expectUnchanged,
  snapshot,
  type Snapshot,
  temporaryDirectory,
  type TemporaryRepository,
} from '@cleveragents/shared-testing';

/** SHA-256, kind and mode of every path of the work tree. */
const picture = (root: string): Promise<Snapshot> => snapshot(root, { leaveOut: ['.git'] });

function newStore(): GitSnapshotStore {
  return new GitSnapshotStore({ path: join(temporaryDirectory().path, 'store.git'), durability: 'process' });
}

async function rollBack(store: GitSnapshotStore, root: string, target: string): Promise<void> {
  const safety = await store.capture(root, { alsoCover: [target] });
  const facts = {
    differences: await store.diff(safety.ref, target),
    uncoveredNow: safety.uncovered,
    uncoveredThen: await store.uncovered(target),
  };
  await store.restore(root, planRestore(facts));
}

async function hostileRepository(): Promise<TemporaryRepository> {
  const repository = await createRepository();
  await repository.git('config', 'core.autocrlf', 'true');
  await repository.git('config', 'filter.shout.clean', 'tr a-z A-Z');
  await repository.git('config', 'filter.shout.smudge', 'tr A-Z a-z');
  const at = (path: string): string => join(repository.root, path);
  writeFileSync(at('.gitattributes'), '*.txt text eol=crlf\n*.shout filter=shout\n*.id ident\n');
  writeFileSync(at('lf.txt'), 'one\ntwo\n');
  writeFileSync(at('crlf.txt'), 'one\r\ntwo\r\n');
  writeFileSync(at('mixed.txt'), 'one\r\ntwo\nthree\r');
  writeFileSync(at('word.shout'), 'Mixed Case');
  writeFileSync(at('expanded.id'), '$Id$ $Id: 0123 $');
  writeFileSync(at('bom'), Buffer.from([0xef, 0xbb, 0xbf, 0x61]));
  writeFileSync(at('latin1'), Buffer.from([0xe9, 0x00, 0xff]));
  writeFileSync(at('hole'), Buffer.alloc(3_000_000));
  writeFileSync(at('empty'), '');
  for (const [path, mode] of Object.entries({
    private: 0o600,
    odd: 0o640,
    run: 0o711,
    setuid: 0o4755,
    none: 0,
  })) {
    writeFileSync(at(path), path);
    chmodSync(at(path), mode);
  }
  for (const name of [
    'quo"te',
    "apo'strophe",
    'line\nfeed',
    ' spaces ',
    '-rf',
    '*?[',
    'back\\slash',
    '\u{1f600}',
    '.cleveragents-modes',
    '.cleveragents-modes+x',
    'caf\u00e9',
    'cafe\u0301',
  ])
    writeFileSync(at(name), name);
  mkdirSync(at('hollow/inner'), { recursive: true });
  mkdirSync(at('closed'));
  writeFileSync(at('closed/file'), 'closed');
  chmodSync(at('closed'), 0o500);
  chmodSync(at('hollow'), 0o2770);
  symlinkSync('nowhere', at('dangling'));
  symlinkSync('closed', at('to-directory'));
  symlinkSync('line\nfeed', at('to odd name'));
  linkSync(at('lf.txt'), at('second-name.txt'));
  await repository.git('add', '--all');
  await repository.git('commit', '--quiet', '--message=hostile');
  for (const name of ['.GIT', 'git~1']) writeFileSync(at(name), 'git itself would refuse this name');
  return repository;
}

describe('bytes and modes', () => {
  it('come back whatever filters, attributes, names and modes say', async () => {
    const { root } = await hostileRepository();
    const store = newStore();
    const before = await picture(root);
    const { ref, uncovered } = await store.capture(root);
    expect(uncovered).toEqual([]);
    for (const path of [
      'lf.txt',
      'word.shout',
      'hollow',
      'closed',
      'dangling',
      'caf\u00e9',
      'line\nfeed',
      '.GIT',
      'setuid',
    ])
      rmSync(join(root, path), { recursive: true });
    writeFileSync(join(root, '.gitattributes'), '* -text\n');
    writeFileSync(join(root, 'crlf.txt'), 'other\n');
    chmodSync(join(root, 'odd'), 0o777);
    mkdirSync(join(root, 'dangling'));
    await rollBack(store, root, ref);
    expectUnchanged(before, await picture(root));
  });

  it('come back in a tree whose every mode is unusual', async () => {
    const { path: root } = temporaryDirectory();
    const store = newStore();
    for (const name of ['a', 'b']) {
      mkdirSync(join(root, name), { mode: 0o775 });
      chmodSync(join(root, name), 0o775);
      writeFileSync(join(root, name, 'file'), name);
      chmodSync(join(root, name, 'file'), 0o664);
    }
    const before = await picture(root);
    const { ref } = await store.capture(root);
    rmSync(join(root, 'a'), { recursive: true });
    chmodSync(join(root, 'b'), 0o755);
    chmodSync(join(root, 'b', 'file'), 0o644);
    await rollBack(store, root, ref);
    expectUnchanged(before, await picture(root));
  });

  it('of a file too large to be held in memory come back', async () => {
    const { path: root } = temporaryDirectory();
    const store = newStore();
    const large = Buffer.alloc(9 * 1024 * 1024, 'large ');
    writeFileSync(join(root, 'large'), large);
    const before = await picture(root);
    const { ref } = await store.capture(root);
    writeFileSync(join(root, 'large'), Buffer.concat([large, Buffer.from('more')]));
    await rollBack(store, root, ref);
    expectUnchanged(before, await picture(root));
  });

  it("of one capture hold although the user's repository throws away every loose object", async () => {
    const repository = await createRepository({ files: { a: 'committed' } });
    const { root } = repository;
    const store = newStore();
    writeFileSync(join(root, 'added'), 'added and unstaged again');
    writeFileSync(join(root, 'a'), 'changed');
    await repository.git('add', '--all');
    const before = await picture(root);
    const { ref } = await store.capture(root);
    await repository.git('reset', '--quiet');
    rmSync(join(root, 'added'));
    await repository.git('-c', 'gc.pruneExpire=now', 'gc', '--quiet', '--prune=now');
    await rollBack(store, root, ref);
    expectUnchanged(before, await picture(root));
  });
});
