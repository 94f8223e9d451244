import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { INPUTS, ON_FILES, ToolBench, TOOLS } from './tool-bench.ts';

let bench: ToolBench;
beforeEach(async () => {
  bench = await ToolBench.open();
  await bench.world.plantFile('outside/secret.txt', 'secret');
  await bench.world.plantFile('sandbox/file.txt', 'inside');
});
afterEach(() => bench.close());

const inputOf = (tool: string, path: string): Record<string, unknown> => INPUTS[tool]?.(path) ?? {};

async function refusals(paths: readonly string[], tools = TOOLS): Promise<readonly string[]> {
  const codes = new Set<string>();
  for (const tool of tools)
    for (const path of paths) {
      const { code, message, hint = '' } = await bench.fail(tool, inputOf(tool, path));
      if (code === 'PATH_TRAVERSAL') expect(message).toContain('traversal');
      expect(`${message} ${hint}`).not.toContain(bench.world.absolute(''));
      expect(`${message} ${hint}`).not.toMatch(/root:|secret/);
      codes.add(code);
    }
  expect(await bench.world.contents('outside/secret.txt')).toBe('secret');
  expect(await bench.world.contents('sandbox/file.txt')).toBe('inside');
  expect(await bench.world.names('')).toEqual(['outside', 'sandbox']);
  return [...codes];
}

describe('no tool leaves the root', () => {
  it('by dots', async () => {
    const paths = [
      '../outside/secret.txt',
      'a/../../outside',
      '../../etc/passwd',
      '..',
      'file.txt/../../outside',
    ];
    expect(await refusals(paths)).toEqual(['PATH_TRAVERSAL']);
  });

  it('by an absolute path', async () => {
    const paths = [
      '/etc/passwd',
      '//etc/passwd',
      '/proc/self/root/etc/passwd',
      bench.world.absolute('sandbox/file.txt'),
    ];
    expect(await refusals(paths)).toEqual(['PATH_TRAVERSAL']);
  });

  it('to a neighbour whose name begins alike', async () => {
    const paths = ['../sandbox-evil/x', bench.world.absolute('sandbox-evil/x'), bench.world.absolute('sand')];
    expect(await refusals(paths)).toEqual(['PATH_TRAVERSAL']);
  });

  it('by what is no path', async () => {
    expect(await refusals(['a\0b', 'a\ud800', 'é'.repeat(2500)])).toEqual(['PATH_INVALID']);
    expect(await refusals(['', 'x'.repeat(5000)])).toEqual(['INPUT_INVALID']);
  });

  it('by a URL, and says what to give instead', async () => {
    for (const tool of TOOLS) {
      const { code, hint } = await bench.fail(tool, inputOf(tool, 'file:///etc/passwd'));
      expect([code, hint]).toEqual(['PATH_INVALID', expect.stringContaining('relative')]);
    }
  });

  it('through links to files', async () => {
    await bench.world.plantLink('sandbox/link', '../outside/secret.txt');
    await bench.world.plantLink('sandbox/absolute', bench.world.absolute('outside/secret.txt'));
    await bench.world.plantLink('sandbox/chain', 'link');
    await bench.world.plantLink('sandbox/environ', '/proc/self/environ');
    const tools = TOOLS.filter((tool) => tool !== 'file-delete');
    expect(await refusals(['link', 'absolute', 'chain', 'environ'], tools)).toEqual(['PATH_TRAVERSAL']);
    expect(await bench.succeed('file-delete', { path: 'link' })).toEqual({ existed: true });
    expect(await bench.world.contents('outside/secret.txt')).toBe('secret');
  });

  it('through links to directories', async () => {
    await bench.world.plantLink('sandbox/link', '../outside');
    expect(await refusals(['link/secret.txt', 'link/new.txt', 'link/new/deep'])).toEqual(['PATH_TRAVERSAL']);
    expect(await refusals(['link'], ['file-list', 'file-search', 'file-read'])).toEqual(['PATH_TRAVERSAL']);
    const { files } = await bench.succeed('file-list', { path: '.', recursive: true });
    expect(files).toEqual([
      { path: 'file.txt', type: 'file', size: 6 },
      { path: 'link', type: 'link', size: 0 },
    ]);
    expect(await bench.succeed('file-search', { path: '.', pattern: 'secret' })).toMatchObject({
      matches: [],
    });
  });

  it('through links to nothing', async () => {
    await bench.world.plantLink('sandbox/link', '../outside/new.txt');
    await bench.world.plantLink('sandbox/folder', '../outside/new');
    expect(await refusals(['link', 'folder/x'], ['file-write', 'file-read', 'file-edit'])).toEqual([
      'PATH_TRAVERSAL',
    ]);
    expect(await bench.world.names('outside')).toEqual(['secret.txt']);
  });

  it('by patterns', async () => {
    for (const pattern of ['../**', '/etc/*', 'x/../../*'])
      for (const [tool, input] of [
        ['file-list', { path: '.', pattern }],
        ['file-search', { path: '.', pattern: 'x', include: pattern }],
      ] as const)
        expect(await bench.fail(tool, input)).toMatchObject({
          code: 'PATTERN_INVALID',
          message: expect.stringContaining('traversal'),
        });
  });

  it('into a loop of links', async () => {
    await bench.world.plantLink('sandbox/loop', 'loop');
    const tools = TOOLS.filter((tool) => tool !== 'file-delete');
    expect(await refusals(['loop'], tools)).toEqual(['PATH_INVALID']);
  });

  it('by changing a hard link', async () => {
    await bench.world.plantHardLink('sandbox/twin', 'outside/secret.txt');
    await bench.succeed('file-edit', { path: 'twin', old_text: 'secret', new_text: 'changed' });
    await bench.succeed('file-write', { path: 'twin', content: 'changed again' });
    await bench.succeed('file-delete', { path: 'twin' });
    expect(await bench.world.contents('outside/secret.txt')).toBe('secret');
  });

  it('by a root that is itself a link', async () => {
    await bench.world.plantLink('door', 'sandbox');
    const { openRootedFileSystem } = await import('@cleveragents/shared-adapter-fs');
    const files = await openRootedFileSystem(bench.world.absolute('door'));
    expect((await files.status('file.txt'))?.size).toBe(6);
    await expect(files.status('../outside')).rejects.toMatchObject({ code: 'PATH_TRAVERSAL' });
  });
});

describe('names are names', () => {
  const names = [
    '~/x',
    '%2e%2e/x',
    '....//x',
    '\uff0e\uff0e/x',
    '..foo',
    '..\\x',
    'new\nline',
    '\u001b[31mred',
    '\u202egpj',
    '-rf',
  ];

  it('whatever they look like: written, listed, read, searched, edited and deleted', async () => {
    for (const path of names) await bench.succeed('file-write', { path, content: `secret ${path}` });
    const { files } = await bench.succeed('file-list', { path: '.', recursive: true, pattern: '*' });
    const listed = (files as { path: string }[]).map(({ path }) => path);
    expect(listed.sort()).toEqual([...names.map((path) => path.replaceAll('//', '/')), 'file.txt'].sort());
    const { matches } = await bench.succeed('file-search', { path: '.', pattern: 'secret', literal: true });
    expect(matches).toHaveLength(names.length);
    for (const path of names) {
      await bench.succeed('file-edit', { path, old_text: 'secret', new_text: 'known' });
      expect((await bench.succeed('file-read', { path })).content).toBe(`known ${path}`);
      expect(await bench.succeed('file-delete', { path })).toEqual({ existed: true });
    }
  });

  it('but a file is no directory', async () => {
    for (const tool of TOOLS)
      for (const path of ['file.txt/', 'file.txt/..', 'file.txt/x'])
        expect((await bench.fail(tool, inputOf(tool, path))).message).toContain('not a directory');
  });

  it('and a directory is no file', async () => {
    await bench.world.plantDirectory('sandbox/folder');
    for (const tool of ON_FILES)
      for (const path of ['folder', '.', 'folder/'])
        expect((await bench.fail(tool, inputOf(tool, path))).code).toBe('NOT_A_REGULAR_FILE');
    expect(await bench.world.names('sandbox')).toEqual(['file.txt', 'folder']);
  });

  it('and a slash at the end names a directory, also where there is none', async () => {
    for (const path of ['file.txt/', 'file.txt/.'])
      expect(await refusals([path])).toEqual(['NOT_A_DIRECTORY']);
    for (const path of ['new/', 'new/deeper/', 'new/.']) {
      expect(await refusals([path], ON_FILES)).toEqual(['NOT_A_REGULAR_FILE']);
      expect(await refusals([path], ['file-list', 'file-search'])).toEqual(['FILE_NOT_FOUND']);
    }
    const { message, hint } = await bench.fail('file-edit', inputOf('file-edit', 'new/'));
    expect(message).toContain('names a directory');
    expect(hint).toContain('slash');
  });
});

describe("git's own files", () => {
  const paths = [
    '.git/config',
    '.git/hooks/pre-commit',
    '.git',
    'sub/.git/hooks/x',
    '.GIT/x',
    'git~1/x',
    '.g\u200cit/x',
    '.git./x',
  ];

  it('are never changed, under any of their names', async () => {
    await bench.world.plantFile('sandbox/.git/config', 'secret');
    await bench.world.plantLink('sandbox/innocent', '.git');
    for (const tool of ['file-write', 'file-delete'])
      for (const path of [...paths, 'innocent/config'])
        expect((await bench.fail(tool, inputOf(tool, path))).code).toBe('PATH_PROTECTED');
    for (const path of ['.git/config', 'innocent/config'])
      expect((await bench.fail('file-edit', inputOf('file-edit', path))).code).toBe('PATH_PROTECTED');
    expect(await bench.world.contents('sandbox/.git/config')).toBe('secret');
    expect((await bench.succeed('file-read', { path: '.git/config' })).content).toBe('secret');
  });
});

describe('input', () => {
  it.each(['constructor', '__proto__', '../', 'hex'])('names no encoding %j', async (encoding) => {
    for (const tool of ['file-read', 'file-write', 'file-edit'])
      expect((await bench.fail(tool, { ...inputOf(tool, 'file.txt'), encoding })).code).toBe(
        'ENCODING_UNKNOWN',
      );
  });

  it.each([NaN, -1, 0, 1e9, 1.5, '3', null])('wants no %j results', async (max_results) => {
    const { code } = await bench.fail('file-search', { path: '.', pattern: 'x', max_results });
    expect(code).toBe('INPUT_INVALID');
  });

  it.each([
    undefined,
    null,
    7,
    [],
    'path',
    { path: 7 },
    { path: ['a'] },
    {},
    JSON.parse('{"path":"a","__proto__":{"x":1}}'),
  ])('is not %j', async (input) => {
    for (const tool of TOOLS) expect((await bench.fail(tool, input)).code).toBe('INPUT_INVALID');
  });

  it('is not an empty text to replace', async () => {
    const { code } = await bench.fail('file-edit', { path: 'file.txt', old_text: '', new_text: 'x' });
    expect(code).toBe('INPUT_INVALID');
  });

  it('is no more than a plain pattern, whatever it looks like', async () => {
    await bench.world.plantFile('sandbox/flags', '--pre=sh\n--files\n');
    for (const pattern of ['--pre=sh', '--files']) {
      const { matches } = await bench.succeed('file-search', { path: '.', pattern, literal: true });
      expect(matches).toMatchObject([{ path: 'flags', text: pattern }]);
    }
  });

  it('does not hang anybody by an exponential glob', async () => {
    await bench.world.plantFile(`sandbox/${'a'.repeat(200)}`, 'x');
    const pattern = '*a*a*a*a*a*a*a*a*a*a*a*a*b';
    expect(await bench.succeed('file-list', { path: '.', pattern })).toMatchObject({ files: [] });
  });
});
