import { describe, expect, it } from '@jest/globals';
import { nodeCalls, type SystemCalls } from '@cleveragents/shared-adapter-fs';
import { ToolBench } from './tool-bench.ts';

const failing = (code: string): (() => never) => {
  return () => {
    throw Object.assign(new Error(`${code}: host details /tmp/x`), { code, syscall: 'write' });
  };
};

const FAULTS: readonly (readonly [string, string, Partial<SystemCalls>])[] = [
  ['no space left', 'STORAGE_FULL', { write: failing('ENOSPC') }],
  ['no space left for a name', 'STORAGE_FULL', { rename: failing('ENOSPC') }],
  ['a quota', 'STORAGE_FULL', { write: failing('EDQUOT') }],
  ['a read-only disk', 'STORAGE_READ_ONLY', { rename: failing('EROFS') }],
  ['no permission', 'PERMISSION_DENIED', { access: failing('EACCES') }],
  ['no permission to rename', 'PERMISSION_DENIED', { rename: failing('EACCES') }],
  ['a broken disk', 'STORAGE_FAILED', { write: failing('EIO') }],
  ['a broken disk at the last moment', 'STORAGE_FAILED', { rename: failing('EIO') }],
];

describe('on a disk that fails, the file is as it was', () => {
  it.each(FAULTS)('for %s: %s', async (_, code, calls) => {
    const bench = await ToolBench.open({ calls: { ...nodeCalls, ...calls } });
    await bench.world.plantFile('sandbox/file', 'original', 0o640);
    const attempts = [
      bench.fail('file-write', { path: 'file', content: 'new' }),
      bench.fail('file-edit', { path: 'file', old_text: 'original', new_text: 'new' }),
      ...(calls.access === undefined ? [bench.fail('file-write', { path: 'a/b/new', content: 'new' })] : []),
    ];
    for (const { code: given, message } of await Promise.all(attempts)) {
      expect(given).toBe(code);
      expect(message).not.toContain('/tmp');
    }
    expect(await bench.world.contents('sandbox/file')).toBe('original');
    expect(await bench.world.mode('sandbox/file')).toBe(0o640);
    expect(await bench.world.names('sandbox')).toEqual(['file']);
    await bench.close();
  });

  it('writes everything where the system takes a little at a time', async () => {
    const write: SystemCalls['write'] = (descriptor, bytes, offset) =>
      nodeCalls.write(descriptor, bytes.subarray(0, offset + 3), offset);
    const bench = await ToolBench.open({ calls: { ...nodeCalls, write } });
    await bench.succeed('file-write', { path: 'file', content: 'a longer text' });
    expect(await bench.world.contents('sandbox/file')).toBe('a longer text');
    await bench.close();
  });
});
