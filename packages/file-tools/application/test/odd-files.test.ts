import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, truncateSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFileTools, ToolRegistry } from '@cleveragents/file-tools-application';
import { createTextSearcher } from '@cleveragents/file-tools-adapter-fs';
import { openRootedFileSystem } from '@cleveragents/shared-adapter-fs';
import { INPUTS, ON_FILES, ToolBench } from './tool-bench.ts';

let bench: ToolBench;
beforeEach(async () => {
  bench = await ToolBench.open();
});
afterEach(() => bench.close());

const inputOf = (tool: string, path: string): Record<string, unknown> => INPUTS[tool]?.(path) ?? {};
const OPENING = ON_FILES.filter((tool) => tool !== 'file-delete');

describe('what is no regular file', () => {
  it('is a FIFO: five are refused at once, and a file is read right after', async () => {
    const names = ['1', '2', '3', '4', '5'];
    for (const name of names) await bench.world.plantFifo(`sandbox/${name}`);
    await bench.world.plantFile('sandbox/file', 'text');
    const refused = names.flatMap((path) => OPENING.map((tool) => bench.fail(tool, inputOf(tool, path))));
    expect((await bench.succeed('file-read', { path: 'file' })).content).toBe('text');
    for (const { code } of await Promise.all(refused)) expect(code).toBe('NOT_A_REGULAR_FILE');
    expect(await bench.succeed('file-search', { path: '.', pattern: 'text' })).toMatchObject({ skipped: 0 });
  });

  it('is a socket', async () => {
    const server = createServer().listen(bench.world.absolute('sandbox/socket'));
    await once(server, 'listening');
    for (const tool of OPENING) {
      const { message } = await bench.fail(tool, inputOf(tool, 'socket'));
      expect(message).toContain('not a regular file');
    }
    server.close();
  });

  it('is a device, also where the root holds nothing else', async () => {
    const files = await openRootedFileSystem('/dev');
    const registry = new ToolRegistry();
    for (const tool of createFileTools({ files, searcher: await createTextSearcher() }))
      registry.register(tool);
    for (const tool of OPENING) {
      const result = await registry.execute(`builtin/${tool}`, inputOf(tool, 'zero'));
      expect(result).toMatchObject({ success: false, error: { code: 'NOT_A_REGULAR_FILE' } });
    }
  });
});

describe('a file without end', () => {
  beforeEach(async () => {
    await bench.world.plantFile('sandbox/sparse', 'first\nsecond\n');
    truncateSync(bench.world.absolute('sandbox/sparse'), 2 ** 40);
  });

  it('of 1 TiB is refused as a whole, and read in part', async () => {
    expect(await bench.fail('file-read', { path: 'sparse' })).toMatchObject({
      code: 'FILE_TOO_LARGE',
      hint: expect.stringContaining('offset'),
    });
    const { code } = await bench.fail('file-edit', { path: 'sparse', old_text: 'first', new_text: 'x' });
    expect(code).toBe('FILE_TOO_LARGE');
    const beginning = { path: 'sparse', offset: 0, limit: 1 };
    expect(await bench.fail('file-read', beginning)).toMatchObject({ code: 'FILE_IS_BINARY' });
  });

  it('of text is read in part without its end', async () => {
    const descriptor = openSync(bench.world.absolute('sandbox/text'), 'w');
    const block = Buffer.from('a line of text\n'.repeat(70_000));
    for (let count = 0; count < 80; count++) writeSync(descriptor, block);
    closeSync(descriptor);
    const part = await bench.succeed('file-read', { path: 'text', offset: 10, limit: 2 });
    expect(part).toEqual({
      content: 'a line of text\na line of text\n',
      encoding: 'utf-8',
      size: block.length * 80,
      truncated: true,
      next_offset: 12,
    });
  });

  it('is left out of a search', async () => {
    await bench.world.plantFile('sandbox/small', 'first');
    for (const literal of [true, false]) {
      const found = await bench.succeed('file-search', { path: '.', pattern: 'first', literal });
      expect(found).toMatchObject({ matches: [{ path: 'small' }], skipped: 1 });
    }
  });

  it('is left out of a search also where nothing in it would end the looking', async () => {
    await bench.world.plantFile('sandbox/zeroes', '');
    await bench.world.plantFile('sandbox/spaces', ' '.repeat(20_000));
    for (const name of ['zeroes', 'spaces']) truncateSync(bench.world.absolute(`sandbox/${name}`), 2 ** 40);
    for (const literal of [true, false]) {
      const found = await bench.succeed('file-search', { path: '.', pattern: 'absent', literal });
      expect(found).toEqual({ matches: [], truncated: false, skipped: 3 });
    }
  });

  it('is deleted as fast as any', async () => {
    expect(await bench.succeed('file-delete', { path: 'sparse' })).toEqual({ existed: true });
  });

  it('may say that it is empty: what a process shows is read to its end', async () => {
    const files = await openRootedFileSystem('/proc/sys/kernel');
    const { bytes, status } = await files.read('ostype', { maxBytes: 100 });
    expect([Buffer.from(bytes).toString(), status.size]).toEqual(['Linux\n', 6]);
  });

  it('may grow while it is read', async () => {
    const path = bench.world.absolute('sandbox/growing');
    const writer = spawn('sh', [
      '-c',
      'echo; while :; do head -c 65536 /dev/zero | tr "\\0" x; done >> "$0"',
      path,
    ]);
    await once(writer.stdout, 'data');
    for (let round = 0; round < 20; round++) {
      const result = await bench.call('file-read', { path: 'growing', offset: 0, limit: 1 });
      if (!result.success)
        expect(['FILE_NOT_FOUND', 'INPUT_INVALID', 'FILE_TOO_LARGE']).toContain(result.error.code);
    }
    writer.kill('SIGKILL');
    await once(writer, 'exit');
  });
});

describe('very many', () => {
  it('lines are read and edited', async () => {
    const lines = Array.from({ length: 100_000 }, (_, line) => `line ${line}`);
    await bench.world.plantFile('sandbox/lines', lines.join('\n'));
    const part = await bench.succeed('file-read', { path: 'lines', offset: 99_998, limit: 5 });
    expect(part).toMatchObject({ content: 'line 99998\nline 99999', total_lines: 100_000, truncated: false });
    const edit = { path: 'lines', old_text: 'line ', new_text: 'row ', replace_all: true };
    expect(await bench.succeed('file-edit', edit)).toMatchObject({ replacements: 100_000 });
  });

  it('entries of a directory are listed up to the limit', async () => {
    for (let index = 0; index < 150; index++) await bench.world.plantFile(`sandbox/crowd/${index}`, '');
    const { files, truncated } = await bench.succeed('file-list', { path: 'crowd', limit: 100 });
    expect([(files as unknown[]).length, truncated]).toEqual([100, true]);
  });

  it('ignore rules, each of them slow, hold up nobody', async () => {
    const rules = Array.from({ length: 5000 }, (_, rule) => `${'*a'.repeat(20)}b${rule}`);
    await bench.world.plantFile('sandbox/crowd/.gitignore', rules.join('\n'));
    for (let index = 0; index < 60; index++)
      await bench.world.plantFile(`sandbox/crowd/${'a'.repeat(200)}${index}`, '');
    const caller = new AbortController();
    const input = { path: 'crowd', respect_gitignore: true };
    const listing = bench.registry.execute('builtin/file-list', input, { signal: caller.signal });
    // Gets its turn while the rules are tried: then the caller can still change its mind.
    setTimeout(() => caller.abort(), 1);
    expect(await listing).toMatchObject({ success: false, error: { code: 'CANCELLED' } });
  });

  it('levels of directories are listed up to a depth', async () => {
    const deep = Array.from({ length: 80 }, () => 'd').join('/');
    await bench.world.plantFile(`sandbox/${deep}/file`, 'x');
    const { files, truncated } = await bench.succeed('file-list', { path: '.', recursive: true });
    expect([(files as unknown[]).length, truncated]).toEqual([64, true]);
  });
});
