import { deepStrictEqual } from 'node:assert/strict';
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

async function withSecrets(world: RootedWorld): Promise<void> {
  await world.plantFile('secret.txt', 'secret');
  await world.plantFile('sandbox-evil/secret.txt', 'secret');
  await world.plantFile('sand/secret.txt', 'secret');
  await world.plantFile('sandbox/a/inside.txt', 'inside');
}

const CLIMBING = [
  '../secret.txt',
  'a/../../secret.txt',
  '../../etc/passwd',
  '..',
  'a/../..',
  './../secret.txt',
  'a//..//..//secret.txt',
  'missing/../../secret.txt',
  '../sandbox/a/inside.txt',
];
const ABSOLUTE = ['/etc/passwd', '//etc/passwd', '/', '/proc/self/root/etc/passwd'];
const NO_PATHS = ['', 'a\0b', '\0', 'a\ud800b', 'x'.repeat(5000)];
const LITERAL_NAMES = [
  '~/x',
  '%2e%2e/x',
  '....//x',
  '\uff0e\uff0e/x',
  '..foo',
  'foo..',
  '...',
  '$HOME',
  '-rf',
  'a/./b',
];
const ODD_NAMES = ['a\nb', '\u001b[31mred', '\u202egpj.exe', '--pre=sh', 'a"b', 'name with spaces ', '..\\x'];
const NAMES_OF_GIT = [
  '.git/hooks/post-checkout',
  '.git',
  'sub/.git/hooks/x',
  '.GIT/config',
  '.GiT',
  'git~1/config',
  '.g\u200cit/config',
  '.git./config',
  '.git /config',
  '.git::$INDEX_ALLOCATION/config',
  'a/../.git/config',
];

export const attacksBySpelling: readonly Case[] = [
  {
    name: 'refuses every path that climbs above the root',
    async run(world) {
      await withSecrets(world);
      for (const path of CLIMBING) await refusedBy(EVERY_OPERATION, world, path, 'PATH_TRAVERSAL');
      deepStrictEqual(await world.contents('secret.txt'), 'secret');
      deepStrictEqual(await namesIn(world, ''), ['sand', 'sandbox', 'sandbox-evil', 'secret.txt']);
    },
  },
  {
    name: 'refuses every absolute path, also one that lies inside',
    async run(world) {
      await withSecrets(world);
      for (const path of [...ABSOLUTE, world.absolute('sandbox/a/inside.txt')])
        await refusedBy(EVERY_OPERATION, world, path, 'PATH_TRAVERSAL');
    },
  },
  {
    name: 'refuses a sibling whose name begins as the root does, or with which the root begins',
    async run(world) {
      await withSecrets(world);
      const siblings = ['sandbox-evil', 'sand'].flatMap((name) => [
        `../${name}/secret.txt`,
        world.absolute(`${name}/secret.txt`),
      ]);
      for (const path of siblings) await refusedBy(EVERY_OPERATION, world, path, 'PATH_TRAVERSAL');
      deepStrictEqual(await world.contents('sandbox-evil/secret.txt'), 'secret');
    },
  },
  {
    name: 'refuses what can be no path',
    async run(world) {
      for (const path of NO_PATHS) await refusedBy(EVERY_OPERATION, world, path, 'PATH_INVALID');
    },
  },
  {
    name: 'refuses a URL instead of taking it for a name',
    async run(world) {
      await refusedBy(EVERY_OPERATION, world, 'file:///etc/passwd', 'PATH_INVALID');
      await refusedBy(EVERY_OPERATION, world, 'file://localhost/etc/passwd', 'PATH_INVALID');
    },
  },
  {
    name: 'takes for plain names what only looks like a way out',
    async run({ files }) {
      for (const path of LITERAL_NAMES) {
        await files.write(path, bytesOf(path), { makeParents: true });
        deepStrictEqual(await readText(files, path), path);
      }
    },
  },
  {
    name: 'carries any name there and back',
    requires: ['posixNames'],
    async run({ files }) {
      for (const path of ODD_NAMES) await files.write(path, bytesOf(path));
      const entries = await walked(files, '.');
      deepStrictEqual(
        entries.map(({ path }) => path),
        [...ODD_NAMES].sort((one, other) => (one < other ? -1 : 1)),
      );
      for (const path of ODD_NAMES) deepStrictEqual(await files.remove(path), true);
    },
  },
  {
    name: 'lets .. work where it stays inside, but not through a file',
    async run(world) {
      await withSecrets(world);
      deepStrictEqual(await readText(world.files, 'a/../a/inside.txt'), 'inside');
      for (const path of ['a/inside.txt/..', 'a/inside.txt/', 'a/inside.txt/.', 'a/inside.txt/x'])
        await refusedBy({ ...LOOKING, ...CHANGING }, world, path, 'NOT_A_DIRECTORY');
      deepStrictEqual(await world.contents('sandbox/a/inside.txt'), 'inside');
    },
  },
  {
    name: 'says of a name that ends in a slash that it is no file, also where there is nothing yet',
    async run(world) {
      await withSecrets(world);
      const { read, stream, write, remove } = EVERY_OPERATION;
      for (const path of ['a/', 'new/', 'new/deeper/', 'new/.', 'a/new/'])
        await refusedBy(
          { read, stream, write, remove } as typeof CHANGING,
          world,
          path,
          'NOT_A_REGULAR_FILE',
        );
      deepStrictEqual(await namesIn(world, 'sandbox'), ['a']);
      deepStrictEqual(await namesIn(world, 'sandbox/a'), ['inside.txt']);
    },
  },
  {
    name: 'never writes, removes or makes what some file system takes for .git, but reads it',
    async run(world) {
      await world.plantFile('sandbox/.git/config', 'original');
      await world.plantFile('sandbox/sub/.git', 'gitdir: elsewhere');
      const { write, makeDirectory, remove } = EVERY_OPERATION;
      for (const path of [...NAMES_OF_GIT, 'sub/.git'])
        await refusedBy({ write, makeDirectory, remove } as typeof CHANGING, world, path, 'PATH_PROTECTED');
      deepStrictEqual(await readText(world.files, '.git/config'), 'original');
      deepStrictEqual(await namesIn(world, 'sandbox'), ['.git', 'sub']);
      deepStrictEqual(await namesIn(world, 'sandbox/.git'), ['config']);
    },
  },
  {
    name: 'writes names that only resemble .git',
    async run({ files }) {
      for (const path of ['.gitignore', '.github/x', 'a.git', 'git', '.git-x', 'git~10'])
        await files.write(path, bytesOf(path), { makeParents: true });
    },
  },
];
