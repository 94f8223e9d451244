import { deepStrictEqual, ok } from 'node:assert/strict';
import type { ContractCase } from '../contract.ts';
import type { RootedCapability, RootedWorld } from './rooted-world.ts';
import {
  bytesOf,
  namesIn,
  collect,
  EVERY_OPERATION,
  LOOKING,
  readText,
  refusedBy,
  textOf,
  walked,
  WHOLE_WALK,
} from './rooted-world.ts';

type Case = ContractCase<RootedWorld, RootedCapability>;

const SHA256_OF_ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

const only = (...names: string[]): typeof LOOKING =>
  Object.fromEntries(Object.entries(EVERY_OPERATION).filter(([name]) => names.includes(name)));

const reading: readonly Case[] = [
  {
    name: 'reads the bytes of a file, their digest and its status',
    async run(world) {
      await world.plantFile('sandbox/sub/abc', 'abc', 0o640);
      const status = { path: 'sub/abc', type: 'file', size: 3, mode: 0o640 } as const;
      const { bytes, ...rest } = await world.files.read('sub/abc', { maxBytes: 3 });
      deepStrictEqual([textOf(bytes), rest], ['abc', { sha256: SHA256_OF_ABC, status }]);
      deepStrictEqual(await world.files.status('./sub//abc'), status);
      deepStrictEqual((await world.files.status('.'))?.path, '');
    },
  },
  {
    name: 'tells a missing file from a directory',
    async run(world) {
      await world.plantDirectory('sandbox/directory');
      await refusedBy(only('read', 'stream'), world, 'missing', 'FILE_NOT_FOUND');
      await refusedBy(only('read', 'stream', 'write', 'remove'), world, 'directory', 'NOT_A_REGULAR_FILE');
      await refusedBy(only('read', 'stream', 'write', 'remove'), world, '.', 'NOT_A_REGULAR_FILE');
      deepStrictEqual(await world.files.status('missing'), undefined);
      deepStrictEqual(await world.files.status('missing/deeper'), undefined);
    },
  },
  {
    name: 'tells what a name stands for, links not followed',
    async run(world) {
      await world.plantFile('sandbox/sub/file', 'x');
      await world.plantLink('sandbox/out', '../elsewhere');
      await world.plantLink('sandbox/inner', 'sub');
      const paths = [
        '.',
        'sub',
        'sub/',
        'sub/file',
        'out',
        'inner',
        'inner/file',
        'missing',
        'sub/file/x',
        'x/y',
      ];
      const types: unknown[] = [];
      for (const path of paths) types.push(await world.files.entryType(path));
      const nothing = undefined;
      deepStrictEqual(types, [
        ...['directory', 'directory', 'directory', 'file', 'link', 'link', 'file'],
        ...[nothing, nothing, nothing],
      ]);
    },
  },
  {
    name: 'refuses to read more than was asked for',
    async run(world) {
      await world.plantFile('sandbox/file', 'x'.repeat(101));
      await refusedBy(only('read'), world, 'file', 'FILE_TOO_LARGE');
    },
  },
  {
    name: 'streams a file of many chunks in order',
    async run(world) {
      const text = Array.from({ length: 100_000 }, (_, line) => `line ${line}`).join('\n');
      await world.plantFile('sandbox/large', text);
      const chunks = await collect(world.files.stream('large'));
      deepStrictEqual(chunks.map(textOf).join('') === text, true);
    },
  },
  {
    name: 'fingerprints a file, a link and what it reaches, and nothing else',
    async run(world) {
      await world.plantFile('sandbox/abc', 'abc', 0o600);
      await world.plantLink('sandbox/link', 'abc');
      await world.plantDirectory('sandbox/directory');
      const file = { path: 'abc', type: 'file', sha256: SHA256_OF_ABC, size: 3, mode: 0o600 } as const;
      const limits = { maxBytes: 100 };
      deepStrictEqual(await world.files.fingerprint('abc', limits), file);
      deepStrictEqual(await world.files.fingerprint('abc', { maxBytes: 2 }), { ...file, sha256: null });
      const link = await world.files.fingerprint('link', limits);
      deepStrictEqual(
        [link?.path, link?.type, link?.sha256, link?.target],
        ['link', 'link', SHA256_OF_ABC, file],
      );
      for (const path of ['directory', 'missing', 'missing/deeper', 'abc/deeper', '.'])
        deepStrictEqual(await world.files.fingerprint(path, limits), undefined);
    },
  },
];

const writing: readonly Case[] = [
  {
    name: 'makes a file, and the directories above it when asked',
    async run(world) {
      await refusedBy(
        { write: (files, path) => files.write(path, bytesOf('x')) },
        world,
        'a/b/file',
        'FILE_NOT_FOUND',
      );
      const { created, status } = await world.files.write('a/b/file', bytesOf('x'), { makeParents: true });
      deepStrictEqual([created, status.path, status.size], [true, 'a/b/file', 1]);
      deepStrictEqual(await namesIn(world, 'sandbox/a/b'), ['file']);
    },
  },
  {
    name: 'replaces a file, keeps its permissions and drops setuid',
    async run(world) {
      await world.plantFile('sandbox/script', 'old', 0o4751);
      const { created, status } = await world.files.write('script', bytesOf('new'));
      deepStrictEqual([created, status.mode], [false, 0o751]);
      deepStrictEqual(
        [await world.contents('sandbox/script'), await world.mode('sandbox/script')],
        ['new', 0o751],
      );
      deepStrictEqual(await namesIn(world, 'sandbox'), ['script']);
    },
  },
  {
    name: 'writes only over the bytes that were expected',
    async run(world) {
      await world.plantFile('sandbox/file', 'abc');
      await world.files.write('file', bytesOf('second'), { expectedSha256: SHA256_OF_ABC });
      const late = {
        write: (files: RootedWorld['files'], path: string) =>
          files.write(path, bytesOf('third'), { expectedSha256: SHA256_OF_ABC, makeParents: true }),
      };
      await refusedBy(late, world, 'file', 'FILE_CHANGED');
      await refusedBy(late, world, 'missing/deeper/file', 'FILE_CHANGED');
      deepStrictEqual(await world.contents('sandbox/file'), 'second');
      deepStrictEqual(await namesIn(world, 'sandbox'), ['file']);
    },
  },
  {
    name: 'removes a file once, and never a directory or the root',
    async run(world) {
      await world.plantFile('sandbox/directory/file', 'x');
      await refusedBy(only('remove'), world, 'directory', 'NOT_A_REGULAR_FILE');
      await refusedBy(only('remove'), world, 'directory/..', 'NOT_A_REGULAR_FILE');
      await refusedBy(only('remove'), world, '.', 'NOT_A_REGULAR_FILE');
      deepStrictEqual(await world.files.remove('directory/file'), true);
      deepStrictEqual(await world.files.remove('directory/file'), false);
      deepStrictEqual(await world.files.remove('missing/file'), false);
      deepStrictEqual(await namesIn(world, 'sandbox'), ['directory']);
    },
  },
  {
    name: 'makes a directory and those above it, once',
    async run(world) {
      deepStrictEqual(await world.files.makeDirectory('a/b/c'), true);
      deepStrictEqual(await world.files.makeDirectory('a/b/c/'), false);
      await world.plantFile('sandbox/file', 'x');
      await refusedBy(only('makeDirectory'), world, 'file', 'NOT_A_DIRECTORY');
    },
  },
];

const walking: readonly Case[] = [
  {
    name: 'walks in the order of the paths, with sizes and contents',
    async run(world) {
      for (const path of ['b', 'a/x', 'a-b', 'a/b/y', 'a.c', 'Z'])
        await world.plantFile(`sandbox/${path}`, path);
      const shown: unknown[] = [];
      for await (const entry of world.files.walk('.', WHOLE_WALK))
        shown.push([entry.path, entry.size, textOf(entry.read(100) ?? bytesOf('-'))]);
      deepStrictEqual(shown, [
        ['Z', 1, 'Z'],
        ['a', 0, '-'],
        ['a-b', 3, 'a-b'],
        ['a.c', 3, 'a.c'],
        ['a/b', 0, '-'],
        ['a/b/y', 5, 'a/b/y'],
        ['a/x', 3, 'a/x'],
        ['b', 1, 'b'],
      ]);
    },
  },
  {
    name: 'stays in one directory unless asked, and out of .git and other work trees',
    async run(world) {
      await world.plantFile('sandbox/.git/config', 'x');
      await world.plantFile('sandbox/sub/file', 'x');
      await world.plantFile('sandbox/nested/.git', 'gitdir: elsewhere');
      await world.plantFile('sandbox/nested/file', 'x');
      const paths = async (recursive: boolean, start = '.'): Promise<string[]> =>
        (await walked(world.files, start, { recursive })).map(({ path }) => path);
      deepStrictEqual(await paths(false), ['.git', 'nested', 'sub']);
      deepStrictEqual(await paths(true), ['.git', 'nested', 'sub', 'sub/file']);
      deepStrictEqual(await paths(true, 'nested'), ['nested/.git', 'nested/file']);
      deepStrictEqual(await paths(true, '.git'), ['.git/config']);
    },
  },
  {
    name: 'says when a limit left something out',
    async run(world) {
      for (const path of ['a', 'b', 'deep/er/file']) await world.plantFile(`sandbox/${path}`, 'x');
      const walkWith = async (maxEntries: number, maxDepth: number): Promise<[number, boolean]> => {
        const walk = world.files.walk('.', { recursive: true, maxEntries, maxDepth });
        const entries = await collect(walk);
        return [entries.length, walk.truncated];
      };
      deepStrictEqual(await walkWith(5, 3), [5, false]);
      deepStrictEqual(await walkWith(4, 3), [4, true]);
      deepStrictEqual(await walkWith(1, 3), [1, true]);
      deepStrictEqual(await walkWith(5, 2), [4, true]);
    },
  },
  {
    name: 'fails to walk what is no directory, and ends when it is told to',
    async run(world) {
      await world.plantFile('sandbox/file', 'x');
      await refusedBy(only('walk'), world, 'file', 'NOT_A_DIRECTORY');
      await refusedBy(only('walk'), world, 'missing', 'FILE_NOT_FOUND');
      const signal = AbortSignal.abort(new Error('enough'));
      const ended = await walked(world.files, '.', { signal }).catch((error: Error) => error.message);
      deepStrictEqual(ended, 'enough');
    },
  },
  {
    name: 'gives the first bytes of a file to whoever walks by',
    async run(world) {
      await world.plantFile('sandbox/file', 'x'.repeat(200_000));
      const lengths: unknown[] = [];
      for await (const entry of world.files.walk('.', WHOLE_WALK))
        lengths.push(entry.read(10)?.length, entry.read(1_000_000, { keep: true })?.length);
      deepStrictEqual(lengths, [10, 200_000]);
    },
  },
];

const visiting: readonly Case[] = [
  {
    name: 'visits what it walks, waits where it is asked to, and ends when it is told to',
    async run(world) {
      for (const path of ['a', 'b/c', 'd']) await world.plantFile(`sandbox/${path}`, path);
      const seen: string[] = [];
      await world.files.walk('.', WHOLE_WALK).each((entry) => {
        const { path } = entry;
        seen.push(`${path}=${textOf(entry.read(10) ?? bytesOf('-'))}`);
        if (path === 'b/c') return Promise.resolve(false);
        return path === 'a' ? Promise.resolve() : undefined;
      });
      deepStrictEqual(seen, ['a=a', 'b=-', 'b/c=b/c']);
    },
  },
  {
    name: 'leaves out what its filter does, which may look into each directory first',
    async run(world) {
      await world.plantFile('sandbox/rules', 'secret');
      for (const path of ['secret/x', 'sub/secret', 'sub/y']) await world.plantFile(`sandbox/${path}`, path);
      const entered: string[] = [];
      let rule = '';
      const filter = {
        enter(directory: string, read: (name: string, maxBytes: number) => Uint8Array | undefined) {
          entered.push(directory);
          rule = textOf(read('rules', 100) ?? bytesOf(rule));
        },
        leavesOut: (path: string) => path.endsWith(rule),
      };
      const paths = (await walked(world.files, '.', { filter })).map(({ path }) => path);
      deepStrictEqual(
        [paths, entered],
        [
          ['rules', 'sub', 'sub/y'],
          ['', 'sub'],
        ],
      );
    },
  },
];

const hostPaths: readonly Case[] = [
  {
    name: 'knows where a path is, or would be, on the host, if anywhere',
    async run(world) {
      await world.plantFile('sandbox/real/file', 'x');
      await world.plantLink('sandbox/link', 'real');
      const place = await world.files.hostPath('link/file');
      if (place === undefined) return;
      ok(place.endsWith('sandbox/real/file'), place);
      ok((await world.files.hostPath('link/new/file'))?.endsWith('sandbox/real/new/file'));
      ok((await world.files.hostPath('.'))?.endsWith('sandbox'));
      deepStrictEqual(await readText(world.files, 'link/file'), 'x');
    },
  },
];

export const fileBehaviour: readonly Case[] = [...reading, ...writing, ...walking, ...visiting, ...hostPaths];
