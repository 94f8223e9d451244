import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRepository, temporaryDirectory } from '@cleveragents/shared-testing';

it('opens nothing that neither snapshot holds, from the first capture to the end of the rollback', async () => {
  await using repository = await createRepository({
    files: { held: 'old', '.gitignore': 'secret\nbuild/\n' },
  });
  await repository.write('secret', 'mine');
  await repository.write('build/out', 'mine');
  mkdirSync(repository.path('other/.git'), { recursive: true });
  writeFileSync(repository.path('other/file'), 'theirs');
  execFileSync('mkfifo', [repository.path('fifo')]);
  const output = execFileSync(process.execPath, [
    '--conditions=@cleveragents/source',
    '--import',
    'tsx',
    join(import.meta.dirname, 'support', 'recording-script.ts'),
    repository.root,
    join(temporaryDirectory().path, 'store.git'),
  ]);
  const { seen, kept } = JSON.parse(output.toString()) as { seen: string[]; kept: string[] };
  expect(kept).toEqual(['build', 'fifo', 'other', 'secret']);
  expect(seen).toEqual(expect.arrayContaining(['held', 'made']));
  const isUntouched = (path: string): boolean => !/^(secret|fifo|build\/.*|other\/.*)$/.test(path);
  expect(seen.filter((path) => !isUntouched(path))).toEqual([]);
}, 60_000);
