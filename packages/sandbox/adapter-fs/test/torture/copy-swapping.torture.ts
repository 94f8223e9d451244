import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { bundleScript, ScriptProcess, temporaryDirectory } from '@cleveragents/shared-testing';
import { CopyBench, pictureOf } from '../support/copy-bench.ts';

const SWAPPER = fileURLToPath(new URL('../support/swapper-script.ts', import.meta.url));
const TRIES = 60;
const SECRET = 'a secret of the outside\n';

let swapper: ScriptProcess | null = null;
afterEach(() => swapper?.kill());

function secretPlace(bench: CopyBench): string {
  const outside = bench.elsewhere();
  mkdirSync(join(outside, 'deep'));
  for (const name of ['a', 'b', 'deep/c']) writeFileSync(join(outside, name), SECRET);
  return outside;
}

const FILES = { 'swapped/a': 'a\n', 'swapped/b': 'b\n', 'swapped/deep/c': 'c\n', 'still.txt': 'still\n' };

describe('a folder that somebody swaps for a link to the outside', () => {
  it('brings nothing of the outside into a copy', async () => {
    const bench = new CopyBench(FILES);
    const bundle = await bundleScript(SWAPPER, temporaryDirectory().path);
    swapper = new ScriptProcess(bundle, join(bench.root, 'swapped'), secretPlace(bench));
    expect(await swapper.nextLine()).toBe('ready');
    const outcomes: Record<string, number> = {};
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const { sandbox, path } = await bench.active(`plan-${attempt}`);
      const picture = pictureOf(path);
      expect(JSON.stringify(picture)).not.toContain('secret');
      const seen = Object.keys(picture).length;
      outcomes[seen] = (outcomes[seen] ?? 0) + 1;
      await sandbox.cleanup();
    }
    expect(swapper.complaints).toBe('');
    process.stderr.write(`paths copied: ${JSON.stringify(outcomes)}\n`);
  }, 600_000);

  it('brings nothing of the outside into the project, nor of the project out', async () => {
    const bench = new CopyBench(FILES);
    const bundle = await bundleScript(SWAPPER, temporaryDirectory().path);
    const outside = secretPlace(bench);
    const outcomes: Record<string, number> = {};
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const copy = await bench.active(`plan-${attempt}`);
      for (const path of Object.keys(FILES)) copy.write(path, `${path} ${attempt}\n`);
      const side = attempt % 2 === 0 ? copy.path : bench.root;
      swapper = new ScriptProcess(bundle, join(side, 'swapped'), outside);
      expect(await swapper.nextLine()).toBe('ready');
      const outcome = await copy.sandbox.commit().then(
        () => 'committed',
        (error: { code: string }) => error.code,
      );
      swapper.kill();
      await swapper.end();
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      expect(JSON.stringify(pictureOf(bench.root))).not.toContain('secret');
      for (const name of ['a', 'b', 'deep/c']) expect(readFileSync(join(outside, name), 'utf8')).toBe(SECRET);
      expect(outcome).toMatch(/^(committed|SANDBOX_\w+)$/);
      setRight(bench);
    }
    process.stderr.write(`${JSON.stringify(outcomes)}\n`);
  }, 600_000);
});

/** The swapper was killed at any moment: the user puts the folder back. */
function setRight(bench: CopyBench): void {
  for (const name of Object.keys(bench.picture()))
    if (/^swapped(\.aside)?\/?$/.test(name)) bench.remove(name.replace(/\/$/, ''));
  for (const [path, text] of Object.entries(FILES)) bench.write(path, text);
}
