import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { bundleScript, temporaryDirectory } from '@cleveragents/shared-testing';

it('searches from a bundle of one file, and lets the process end', async () => {
  const { path } = temporaryDirectory();
  mkdirSync(join(path, 'root'));
  writeFileSync(join(path, 'root/file'), 'needle');
  expect(await outputOfBundle(path)).toBe('file\nfile\n');
});

async function outputOfBundle(folder: string): Promise<string> {
  // Beside the test, because that is where its packages are found.
  const script = join(dirname(fileURLToPath(import.meta.url)), 'bundled-program.ts');
  const bundle = await bundleScript(script, folder);
  return execFileSync(process.execPath, [bundle, join(folder, 'root')], { encoding: 'utf8' });
}
