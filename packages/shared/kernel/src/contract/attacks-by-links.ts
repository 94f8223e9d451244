import { deepStrictEqual, ok } from 'node:assert/strict';
import type { ContractCase } from '../contract.ts';
import type { RootedCapability, RootedWorld } from './rooted-world.ts';
import {
  bytesOf,
  namesIn,
  CHANGING,
  EVERY_OPERATION,
  LOOKING,
  readText,
  refusedBy,
  walked,
} from './rooted-world.ts';

type Case = ContractCase<RootedWorld, RootedCapability>;

const { read, stream, write, makeDirectory, remove } = EVERY_OPERATION as Required<typeof EVERY_OPERATION>;
const only = (operations: Record<string, typeof write>): typeof CHANGING => operations as typeof CHANGING;

export const attacksByLinks: readonly Case[] = [
  {
    name: 'refuses a link to an outside file, and removes nothing but the link',
    async run(world) {
      await world.plantFile('secret.txt', 'secret');
      await world.plantLink('sandbox/relative', '../secret.txt');
      await world.plantLink('sandbox/absolute', world.absolute('secret.txt'));
      for (const path of ['relative', 'absolute']) {
        await refusedBy({ ...LOOKING, ...only({ write }) }, world, path, 'PATH_TRAVERSAL');
        deepStrictEqual(await world.files.remove(path), true);
      }
      deepStrictEqual(await world.contents('secret.txt'), 'secret');
      deepStrictEqual(await namesIn(world, 'sandbox'), []);
    },
  },
  {
    name: 'refuses everything below a link to an outside directory',
    async run(world) {
      await world.plantFile('outside/secret.txt', 'secret');
      await world.plantLink('sandbox/link', '../outside');
      await world.plantLink('sandbox/dots', '..');
      for (const path of ['link/secret.txt', 'link/new.txt', 'link/new/deeper', 'dots/outside/secret.txt'])
        await refusedBy(EVERY_OPERATION, world, path, 'PATH_TRAVERSAL');
      await refusedBy(LOOKING, world, 'link', 'PATH_TRAVERSAL');
      await refusedBy(CHANGING, world, 'link', 'PATH_TRAVERSAL');
      deepStrictEqual(await namesIn(world, 'outside'), ['secret.txt']);
      deepStrictEqual(await world.contents('outside/secret.txt'), 'secret');
    },
  },
  {
    name: 'never walks into a link, and shows it as one',
    async run(world) {
      await world.plantFile('outside/secret.txt', 'secret');
      await world.plantLink('sandbox/out', '../outside');
      await world.plantFile('sandbox/in/file.txt', 'x');
      await world.plantLink('sandbox/inner', 'in');
      deepStrictEqual(
        (await walked(world.files, '.')).map(({ path, type }) => [path, type]),
        [
          ['in', 'directory'],
          ['in/file.txt', 'file'],
          ['inner', 'link'],
          ['out', 'link'],
        ],
      );
    },
  },
  {
    name: 'makes nothing through a link whose target is missing, outside or inside',
    async run(world) {
      await world.plantDirectory('outside');
      await world.plantLink('sandbox/out', '../outside/new.txt');
      await world.plantLink('sandbox/far', world.absolute('outside/new'));
      await world.plantLink('sandbox/in', 'missing');
      for (const path of ['out', 'far', 'far/x'])
        await refusedBy({ ...LOOKING, ...CHANGING }, world, path, 'PATH_TRAVERSAL');
      for (const path of ['in', 'in/x']) await refusedBy(only({ write }), world, path, 'FILE_NOT_FOUND');
      deepStrictEqual(await namesIn(world, 'outside'), []);
      deepStrictEqual(await namesIn(world, 'sandbox'), ['far', 'in', 'out']);
    },
  },
  {
    name: 'answers the same for an outside file that is there and for one that is not',
    async run(world) {
      await world.plantFile('outside/there', 'secret');
      await world.plantLink('sandbox/one', '../outside/there');
      await world.plantLink('sandbox/two', '../outside/missing');
      await world.plantLink('sandbox/three', '../outside/there/impossible');
      for (const path of ['one', 'two', 'three'])
        await refusedBy({ ...LOOKING, ...only({ write }) }, world, path, 'PATH_TRAVERSAL');
    },
  },
  {
    name: 'refuses a chain of links at whose end lies the outside, and fails on a loop',
    async run(world) {
      await world.plantFile('secret.txt', 'secret');
      await world.plantLink('sandbox/one', 'two');
      await world.plantLink('sandbox/two', 'deep/three');
      await world.plantLink('sandbox/deep/three', '../../secret.txt');
      await refusedBy({ ...LOOKING, ...only({ write }) }, world, 'one', 'PATH_TRAVERSAL');
      await world.plantLink('sandbox/loop', 'loop');
      await refusedBy({ ...LOOKING, ...CHANGING }, world, 'loop', 'PATH_INVALID');
    },
  },
  {
    name: 'follows links that stay inside, and leaves them links when it writes',
    async run(world) {
      await world.plantFile('sandbox/real/file.txt', 'old');
      await world.plantLink('sandbox/link.txt', 'real/file.txt');
      await world.plantLink('sandbox/directory', 'real');
      await world.plantLink('sandbox/absolute', world.absolute('sandbox/real'));
      deepStrictEqual(await readText(world.files, 'link.txt'), 'old');
      deepStrictEqual((await world.files.write('link.txt', bytesOf('new'))).status.path, 'real/file.txt');
      deepStrictEqual(await world.contents('sandbox/link.txt'), 'real/file.txt');
      for (const path of ['real/file.txt', 'directory/file.txt', 'absolute/file.txt'])
        deepStrictEqual(await readText(world.files, path), 'new');
      await world.files.write('directory/sub/more.txt', bytesOf('more'), { makeParents: true });
      deepStrictEqual(await world.contents('sandbox/real/sub/more.txt'), 'more');
      deepStrictEqual((await walked(world.files, 'directory')).at(0)?.path, 'real/file.txt');
    },
  },
  {
    name: 'judges .. after a link by where the link leads',
    async run(world) {
      await world.plantFile('secret.txt', 'secret');
      await world.plantFile('sandbox/a/b/file.txt', 'x');
      await world.plantLink('sandbox/a/up', '..');
      await refusedBy(EVERY_OPERATION, world, 'a/up/../secret.txt', 'PATH_TRAVERSAL');
      await world.plantLink('sandbox/down', 'a/b');
      deepStrictEqual(await readText(world.files, 'down/../b/file.txt'), 'x');
    },
  },
  {
    name: 'finds .git behind a link',
    async run(world) {
      await world.plantFile('sandbox/.git/config', 'original');
      await world.plantLink('sandbox/innocent', '.git');
      await world.plantLink('sandbox/file', '.git/config');
      await refusedBy(only({ write, makeDirectory, remove }), world, 'innocent/config', 'PATH_PROTECTED');
      await refusedBy(only({ write, makeDirectory }), world, 'innocent/hooks/new', 'PATH_PROTECTED');
      await refusedBy(only({ write }), world, 'file', 'PATH_PROTECTED');
      deepStrictEqual(await world.contents('sandbox/.git/config'), 'original');
      deepStrictEqual(await world.files.remove('file'), true);
    },
  },
  {
    name: 'never changes the outside name of a hard link',
    requires: ['hardLinks'],
    async run(world) {
      await world.plantFile('outside.txt', 'outside');
      await world.plantHardLink('sandbox/twin.txt', 'outside.txt');
      await world.files.write('twin.txt', bytesOf('inside'));
      deepStrictEqual(await world.contents('outside.txt'), 'outside');
      deepStrictEqual(await readText(world.files, 'twin.txt'), 'inside');
    },
  },
  {
    name: 'does not wait for a FIFO, and goes on to answer',
    requires: ['fifos'],
    async run(world) {
      const names = ['one', 'two', 'three', 'four', 'five'];
      for (const name of names) await world.plantFifo(`sandbox/${name}`);
      await world.plantFile('sandbox/file.txt', 'x');
      const opening = only({ read, stream, write });
      const waiting = names.map((name) => refusedBy(opening, world, name, 'NOT_A_REGULAR_FILE'));
      deepStrictEqual(await readText(world.files, 'file.txt'), 'x');
      await Promise.all(waiting);
      const entries = await walked(world.files, '.');
      ok(entries.filter(({ type }) => type === 'other').every((entry) => entry.read(10) === undefined));
      deepStrictEqual((await world.files.status('one'))?.type, 'other');
      deepStrictEqual(await world.files.fingerprint('one', { maxBytes: 10 }), undefined);
    },
  },
];
