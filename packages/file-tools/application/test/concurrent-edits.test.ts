import { writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createFileTools } from '@cleveragents/file-tools-application';
import { JavaScriptTextSearcher } from '@cleveragents/file-tools-adapter-fs';
import { nodeCalls, openRootedFileSystem, type SystemCalls } from '@cleveragents/shared-adapter-fs';
import { ToolBench } from './tool-bench.ts';

describe('edits at once', () => {
  it('of one file, also through a link and another registry, all take effect', async () => {
    const bench = await ToolBench.open();
    await bench.world.plantFile(
      'sandbox/file',
      Array.from({ length: 30 }, (_, index) => `<${index}>`).join(''),
    );
    await bench.world.plantLink('sandbox/link', 'file');
    const searcher = new JavaScriptTextSearcher();
    const [, , edit] = createFileTools({ files: bench.world.files, searcher });
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const input = {
          path: index % 2 === 0 ? 'file' : 'link',
          old_text: `<${index}>`,
          new_text: `[${index}]`,
        };
        return index % 3 === 0 ? edit?.execute(input) : bench.call('file-edit', input);
      }),
    );
    expect(results.filter((result) => result?.success)).toHaveLength(30);
    expect(await bench.world.contents('sandbox/file')).not.toContain('<');
    await bench.close();
  });
});

describe('a file that changes between the read of an edit and its write', () => {
  it.each([
    ['of another size', 'changed by somebody'],
    ['of the same size', 'ORIGINAL'],
  ])('is left as somebody wrote it: %s', async (_, changed) => {
    let interfere = (): void => undefined;
    const rename: SystemCalls['rename'] = (from, to) => nodeCalls.rename(from, to);
    // The digest of what is there is taken last of all before the rename; this comes right before it.
    const fchmod: SystemCalls['fchmod'] = (descriptor, mode) => {
      nodeCalls.fchmod(descriptor, mode);
      interfere();
    };
    const bench = await ToolBench.open({ calls: { ...nodeCalls, rename, fchmod } });
    await bench.world.plantFile('sandbox/file', 'original');
    interfere = () => writeFileSync(bench.world.absolute('sandbox/file'), changed);
    const { code, hint } = await bench.fail('file-edit', {
      path: 'file',
      old_text: 'original',
      new_text: 'edited',
    });
    expect([code, hint]).toEqual(['FILE_CHANGED', expect.stringContaining('Read the file again')]);
    expect(await bench.world.contents('sandbox/file')).toBe(changed);
    expect(await bench.world.names('sandbox')).toEqual(['file']);
    await bench.close();
  });

  it('is not written either when it is not what the caller has seen', async () => {
    const bench = await ToolBench.open();
    await bench.world.plantFile('sandbox/file', 'seen');
    const { sha256 } = await bench.succeed('file-read', { path: 'file' });
    await bench.succeed('file-write', { path: 'file', content: 'newer' });
    for (const [tool, input] of [
      ['file-write', { content: 'x' }],
      ['file-edit', { old_text: 'newer', new_text: 'x' }],
    ] as const) {
      const { code } = await bench.fail(tool, { path: 'file', ...input, expected_sha256: sha256 });
      expect(code).toBe('FILE_CHANGED');
    }
    expect(await bench.world.contents('sandbox/file')).toBe('newer');
    await bench.close();
  });
});

describe('a planted temporary file', () => {
  it('is neither followed nor overwritten', async () => {
    const planted: string[] = [];
    const open: SystemCalls['open'] = (path, flags, mode) => {
      if (path.includes('.cleveragents-') && planted.length === 0) {
        planted.push(path);
        // As if somebody had guessed the name.
        writeFileSync(path, 'planted');
      }
      return nodeCalls.open(path, flags, mode);
    };
    const bench = await ToolBench.open({ calls: { ...nodeCalls, open } });
    const { code } = await bench.fail('file-write', { path: 'file', content: 'text' });
    expect(code).toBe('STORAGE_FAILED');
    expect(await bench.world.contents('sandbox/file')).toBeUndefined();
    await bench.succeed('file-write', { path: 'file', content: 'text' });
    expect(await bench.world.contents('sandbox/file')).toBe('text');
    await bench.close();
    expect(await openRootedFileSystem('/')).toBeDefined();
  });
});
