import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDirectory, type TemporaryDirectory } from '@cleveragents/shared-testing';
import type { AnyClient, ToolAnswer } from './support/mcp-clients.ts';
import { outputOf, useServingBench } from './support/serving-bench.ts';

type Fields = Readonly<Record<string, unknown>>;

const bench = useServingBench({ 'a.txt': 'first\n' });

const INPUTS: Readonly<Record<string, (path: unknown) => Fields>> = {
  file_read: (path) => ({ path }),
  file_write: (path) => ({ path, content: 'evil' }),
  file_edit: (path) => ({ path, old_text: 's', new_text: 'evil' }),
  file_delete: (path) => ({ path }),
  file_list: (path) => ({ path }),
  file_search: (path) => ({ path, pattern: '.' }),
};
const ALL = Object.keys(INPUTS);
const NOT_DELETE = ALL.filter((tool) => tool !== 'file_delete');
const OPENING = ['file_read', 'file_write', 'file_edit', 'file_search'];

let folder: TemporaryDirectory;
let world: string;
let client: AnyClient;
const at = (...names: readonly string[]): string => join(world, ...names);

/** The server's root is a link: `door` leads to `sandbox`, whose neighbours are out of bounds. */
beforeEach(async () => {
  folder = temporaryDirectory();
  world = folder.path;
  for (const name of ['sandbox', 'sandbox-evil', 'sand', 'outside']) mkdirSync(at(name));
  writeFileSync(at('outside/secret.txt'), 'secret');
  writeFileSync(at('sandbox/file.txt'), 'inside');
  symlinkSync('sandbox', at('door'));
  client = await bench.serve(['--root', at('door')]);
});
afterEach(() => folder.remove());

const codeOf = ({ isError, content }: ToolAnswer): string =>
  isError === true ? (/^[A-Z_]+/.exec(String(content[0]?.['text']))?.[0] ?? 'no code') : 'DONE';

/** The codes that the tools answer to the paths, none of which may say anything of what lies outside. */
async function codesOf(
  paths: readonly unknown[],
  tools: readonly string[] = ALL,
): Promise<readonly string[]> {
  const codes = new Set<string>();
  for (const tool of tools)
    for (const path of paths) {
      const answer = await client.callTool(tool, INPUTS[tool]?.(path));
      const said = JSON.stringify(answer);
      codes.add(codeOf(answer));
      expect(said).not.toMatch(/root:|secret(?!\.txt)/);
      expect(said).not.toContain(world);
      if (codeOf(answer) === 'PATH_TRAVERSAL') expect(said).toContain('traversal');
    }
  expect(readFileSync(at('outside/secret.txt'), 'utf8')).toBe('secret');
  expect(readdirSync(at('outside'))).toEqual(['secret.txt']);
  expect(readFileSync(at('sandbox/file.txt'), 'utf8')).toBe('inside');
  expect(readdirSync(world).sort()).toEqual(['door', 'outside', 'sand', 'sandbox', 'sandbox-evil']);
  return [...codes];
}

describe('nothing that a client sends leads out of the root', () => {
  it('dots, absolute paths and neighbours are traversals', async () => {
    const paths = [
      ...['../outside/secret.txt', 'a/../../outside', '../../etc/passwd', '..', 'file.txt/../../outside'],
      ...['/etc/passwd', '//etc/passwd', '/proc/self/root/etc/passwd'],
      ...['../sandbox-evil/x', '../sand/x'],
    ];
    expect(await codesOf(paths)).toEqual(['PATH_TRAVERSAL']);
    for (const path of [at('sandbox/file.txt'), at('sandbox-evil/x'), at('sand')])
      expect(codeOf(await client.callTool('file_read', { path }))).toBe('PATH_TRAVERSAL');
  });

  it('what is no path is invalid', async () => {
    expect(await codesOf(['a\0b', 'a\ud800', 'é'.repeat(2500), 'file:///etc/passwd'])).toEqual([
      'PATH_INVALID',
    ]);
    expect(await codesOf(['', 'x'.repeat(5000), 7, null, ['a'], { a: 1 }])).toEqual(['INPUT_INVALID']);
  });

  it('links out are traversals, dangling or chained, to files and to directories', async () => {
    symlinkSync('../outside/secret.txt', at('sandbox/link'));
    symlinkSync('link', at('sandbox/chain'));
    symlinkSync('../outside/new.txt', at('sandbox/dangling'));
    symlinkSync('/proc/self/environ', at('sandbox/environ'));
    symlinkSync('../outside', at('sandbox/folder'));
    symlinkSync('../outside/new', at('sandbox/nowhere'));
    symlinkSync('loop', at('sandbox/loop'));
    expect(await codesOf(['link', 'chain', 'dangling', 'environ'], NOT_DELETE)).toEqual(['PATH_TRAVERSAL']);
    expect(await codesOf(['folder/secret.txt', 'folder/new', 'nowhere/x'])).toEqual(['PATH_TRAVERSAL']);
    expect(await codesOf(['loop'], NOT_DELETE)).toEqual(['PATH_INVALID']);
    expect(outputOf(await client.callTool('file_search', { path: '.', pattern: 'secret' }))).toMatchObject({
      matches: [],
    });
    outputOf(await client.callTool('file_delete', { path: 'link' }));
    expect(readFileSync(at('outside/secret.txt'), 'utf8')).toBe('secret');
    symlinkSync('file.txt', at('sandbox/inside'));
    expect(outputOf(await client.callTool('file_read', { path: 'inside' }))).toMatchObject({
      content: 'inside',
    });
  });

  it('a hard link keeps its other name as it is', async () => {
    linkSync(at('outside/secret.txt'), at('sandbox/twin'));
    outputOf(await client.callTool('file_edit', { path: 'twin', old_text: 'secret', new_text: 'changed' }));
    outputOf(await client.callTool('file_write', { path: 'twin', content: 'changed again' }));
    outputOf(await client.callTool('file_delete', { path: 'twin' }));
    expect(readFileSync(at('outside/secret.txt'), 'utf8')).toBe('secret');
  });

  it('patterns neither', async () => {
    for (const pattern of ['../**', '/etc/*', 'x/../../*'])
      for (const [tool, input] of [
        ['file_list', { path: '.', pattern }],
        ['file_search', { path: '.', pattern: 'x', include: pattern }],
      ] as const)
        expect(codeOf(await client.callTool(tool, input))).toBe('PATTERN_INVALID');
  });

  it('nor does what looks like a way out and is a name', async () => {
    const names = [
      '~/x',
      '%2e%2e/x',
      '....//x',
      '．．/x',
      '..foo',
      '..\\x',
      '-rf',
      'a\nb',
      '\u001b[31mred',
      '\u202ereversed',
    ];
    for (const path of names) {
      outputOf(await client.callTool('file_write', { path, content: path }));
      expect(outputOf(await client.callTool('file_read', { path }))).toMatchObject({ content: path });
      expect(outputOf(await client.callTool('file_delete', { path }))).toEqual({ existed: true });
    }
  });
});

describe('what is no ordinary file', () => {
  it('five FIFOs and a socket hang nobody', async () => {
    const fifos = ['1', '2', '3', '4', '5'];
    execFileSync(
      'mkfifo',
      fifos.map((name) => at('sandbox', name)),
    );
    const socket = createServer().listen(at('sandbox/socket'));
    const refused = Promise.all(
      [...fifos, 'socket'].flatMap((path) =>
        OPENING.map((tool) => client.callTool(tool, INPUTS[tool]?.(path))),
      ),
    );
    expect(outputOf(await client.callTool('file_read', { path: 'file.txt' }))).toMatchObject({
      content: 'inside',
    });
    for (const answer of await refused) expect(codeOf(answer)).toMatch(/^NOT_A_(REGULAR_FILE|DIRECTORY)$/);
    socket.close();
  });

  it('a terabyte of nothing is too large', async () => {
    writeFileSync(at('sandbox/sparse'), '');
    truncateSync(at('sandbox/sparse'), 2 ** 40);
    for (const tool of ['file_read', 'file_edit'])
      expect(codeOf(await client.callTool(tool, INPUTS[tool]?.('sparse')))).toBe('FILE_TOO_LARGE');
    await expect(client.readResource('cleveragents://files/sparse')).rejects.toThrow();
  });

  it('the root and directories are not deleted, and a file is no directory', async () => {
    mkdirSync(at('sandbox/folder'));
    for (const path of ['.', 'folder', 'folder/..'])
      expect(codeOf(await client.callTool('file_delete', { path }))).not.toBe('DONE');
    for (const path of ['file.txt/', 'file.txt/..', 'file.txt/x'])
      expect(codeOf(await client.callTool('file_read', { path }))).toBe('NOT_A_DIRECTORY');
    expect(existsSync(at('sandbox/folder'))).toBe(true);
  });

  it("git's own files can be read and not changed, under any of their names", async () => {
    mkdirSync(at('sandbox/.git'));
    writeFileSync(at('sandbox/.git/config'), 'mine');
    const names = ['.git/config', '.git', 'sub/.git/hooks/x', '.GIT/x', 'git~1/x', '.g\u200cit/x'];
    for (const tool of ['file_write', 'file_delete'])
      for (const path of names)
        expect(codeOf(await client.callTool(tool, INPUTS[tool]?.(path)))).toBe('PATH_PROTECTED');
    expect(outputOf(await client.callTool('file_read', { path: '.git/config' }))).toMatchObject({
      content: 'mine',
    });
  });
});

describe('input that is meant to break something', () => {
  it('is bounded', async () => {
    writeFileSync(at('sandbox', 'a'.repeat(200)), `${'a'.repeat(100_000)}\n`);
    const glob = '*a*a*a*a*a*a*a*a*a*a*a*a*b';
    expect(outputOf(await client.callTool('file_list', { path: '.', pattern: glob }))).toMatchObject({
      files: [],
    });
    const cancelling = new AbortController();
    const endless = { path: '.', pattern: '^(a+)+$x' };
    const search = client.callTool('file_search', endless, { signal: cancelling.signal });
    expect(outputOf(await client.callTool('file_read', { path: 'file.txt' }))).toMatchObject({
      content: 'inside',
    });
    cancelling.abort();
    await expect(search).rejects.toThrow();
    for (const max_results of [-1, 0, 1e9, 1.5, '3', null])
      expect(codeOf(await client.callTool('file_search', { path: '.', pattern: 'x', max_results }))).toBe(
        'INPUT_INVALID',
      );
  });

  it('is literal where it says so', async () => {
    writeFileSync(at('sandbox/flags'), '--pre=sh\n--files\n');
    for (const pattern of ['--pre=sh', '--files'])
      expect(
        outputOf(await client.callTool('file_search', { path: '.', pattern, literal: true })),
      ).toMatchObject({ matches: [{ path: 'flags', text: pattern }] });
    outputOf(await client.callTool('file_edit', { path: 'flags', old_text: '--pre', new_text: "$&$'" }));
    expect(readFileSync(at('sandbox/flags'), 'utf8')).toBe("$&$'=sh\n--files\n");
  });

  it('changes no byte that it was not asked to change', async () => {
    const bytes = Buffer.from([0x61, 0xff, 0x62]);
    writeFileSync(at('sandbox/binary'), bytes);
    expect(
      codeOf(await client.callTool('file_edit', { path: 'binary', old_text: 'a', new_text: 'c' })),
    ).not.toBe('DONE');
    expect(readFileSync(at('sandbox/binary'))).toEqual(bytes);
    writeFileSync(at('sandbox/script'), 'one\r\ntwo\n');
    chmodSync(at('sandbox/script'), 0o4751);
    outputOf(await client.callTool('file_edit', { path: 'script', old_text: 'two', new_text: '2' }));
    expect(readFileSync(at('sandbox/script'), 'utf8')).toBe('one\r\n2\n');
    expect(statSync(at('sandbox/script')).mode & 0o7777).toBe(0o751);
    for (const encoding of ['constructor', '__proto__', '../'])
      expect(codeOf(await client.callTool('file_read', { path: 'file.txt', encoding }))).toBe(
        'ENCODING_UNKNOWN',
      );
    for (const input of [
      {},
      { path: 'a', old_text: '', new_text: 'x' },
      JSON.parse('{"path":"a","__proto__":{"x":1}}'),
    ])
      expect(codeOf(await client.callTool('file_edit', input as Fields))).toBe('INPUT_INVALID');
  });
});

it('what is planted in a sandbox is never run by a checkpoint, a diff or an apply', async () => {
  bench.createPlan('p');
  const planned = await bench.serve(['--plan', 'p', '--allow-apply']);
  const proof = at('outside/run');
  const content = '* filter=evil diff=evil\n';
  outputOf(await planned.callTool('file_write', { path: '.gitattributes', content }));
  outputOf(await planned.callTool('file_write', { path: 'bare/HEAD', content: 'ref: refs/heads/main\n' }));
  const config = `[core]\n\tbare = true\n\tfsmonitor = "touch ${proof}"\n[filter "evil"]\n\tclean = "touch ${proof}; cat"\n`;
  outputOf(await planned.callTool('file_write', { path: 'bare/config', content: config }));
  for (const folder of ['objects', 'refs'])
    outputOf(await planned.callTool('file_write', { path: `bare/${folder}/keep`, content: '' }));
  outputOf(await planned.callTool('checkpoint_create', {}));
  outputOf(await planned.callTool('sandbox_diff', {}));
  outputOf(await planned.callTool('plan_apply', {}));
  expect(existsSync(proof)).toBe(false);
});
