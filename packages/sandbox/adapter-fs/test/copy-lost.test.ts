import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FileCopySandboxFactory } from '@cleveragents/sandbox-adapter-fs';
import { type SandboxContext } from '@cleveragents/sandbox-domain';
import { FixedClock } from '@cleveragents/shared-testing';
import { CopyBench, pictureOf } from './support/copy-bench.ts';

const PLAN = 'plan-1';

function baseOf({ metadata }: SandboxContext): string {
  return String(metadata['base']);
}

/** A copy that a cleaner took and that was let go of, of a project with everything that a copy can hold. */
async function lost(): Promise<{
  readonly bench: CopyBench;
  readonly base: string;
  readonly picture: Readonly<Record<string, string>>;
}> {
  const bench = new CopyBench();
  bench.write('large', Buffer.alloc(70_000, 'x'));
  bench.write('locked/inside', 'secret\n');
  bench.write('deps/module', 'linked\n');
  bench.write('out.log', 'left out\n');
  mkdirSync(join(bench.root, 'empty'));
  symlinkSync('README.md', join(bench.root, 'link'));
  chmodSync(join(bench.root, 'locked/inside'), 0o600);
  chmodSync(join(bench.root, 'locked'), 0o500);
  const sandbox = bench.make();
  const context = await sandbox.create(PLAN, { exclude: ['*.log'], link: ['deps'] });
  const picture = pictureOf(context.sandboxPath);
  await sandbox.getPath('.');
  chmodSync(join(context.sandboxPath, 'locked'), 0o700);
  rmSync(context.sandboxPath, { recursive: true });
  await bench.reopen(sandbox).cleanup();
  return { bench, base: baseOf(context), picture };
}

const startFrom = (
  base: string,
): { readonly startFrom: { readonly content: string; readonly base: string } } => ({
  startFrom: { content: base, base },
});

describe('a copy that a cleaner took', () => {
  it('is made anew as it began, whatever the project is by now', async () => {
    const { bench, base, picture } = await lost();
    bench.write('README.md', 'by the user\n');
    bench.write('later.txt', 'by the user\n');
    bench.remove('src');
    const again = bench.make();
    const context = await again.create(PLAN, startFrom(base));
    expect(pictureOf(context.sandboxPath)).toEqual(picture);
    expect(baseOf(context)).toBe(base);
    expect((await again.changes()).files).toEqual([]);
  });

  it('gives the project the changes of the plan alone', async () => {
    const { bench, base } = await lost();
    bench.write('README.md', 'by the user\n');
    bench.write('later.txt', 'by the user\n');
    const again = bench.make();
    await again.create(PLAN, startFrom(base));
    writeFileSync(await again.getPath('new.txt'), 'new\n');
    await bench.reopen(again).commit();
    expect(bench.read('README.md')).toBe('by the user\n');
    expect(bench.read('later.txt')).toBe('by the user\n');
    expect(bench.read('new.txt')).toBe('new\n');
  });

  it('is not made anew where nothing of it is kept, and nothing is left behind', async () => {
    const bench = new CopyBench();
    const copy = await bench.active(PLAN);
    const base = baseOf(copy.sandbox.context as SandboxContext);
    await copy.sandbox.cleanup();
    const again = bench.make();
    await expect(again.create(PLAN, startFrom(base))).rejects.toMatchObject({
      code: 'SANDBOX_SOURCE_MISSING',
      hint: expect.stringContaining('checkpoint rollback') as unknown,
    });
    expect(pictureOf(bench.sandboxes)).toEqual({});
  });

  it('can be made anew for 30 days', async () => {
    const { bench, base } = await lost();
    const at = (time: string): FileCopySandboxFactory =>
      new FileCopySandboxFactory({
        sandboxFolder: bench.sandboxes,
        stateFolder: bench.state,
        clock: new FixedClock(time),
      });
    await at('2026-05-09T17:29:00Z').recover(bench.root);
    const again = bench.make();
    await again.create(PLAN, startFrom(base));
    await again.cleanup();
    await at('2026-05-10T17:31:00Z').recover(bench.root);
    await expect(bench.make().create(PLAN, startFrom(base))).rejects.toMatchObject({
      code: 'SANDBOX_SOURCE_MISSING',
    });
  });

  it('is told from one whose removal was cut short, of which nothing is kept', async () => {
    const bench = new CopyBench();
    const copy = await bench.active(PLAN);
    const manifest = keptFiles(bench, 'manifest.json')[0] ?? '';
    writeFileSync(join(bench.state, dirname(manifest), 'removing.json'), '{"rescuedTo":null}');
    rmSync(copy.path, { recursive: true });
    await copy.sandbox.cleanup();
    expect(keptFiles(bench, 'base.pack')).toEqual([]);
  });
});

function keptFiles(bench: CopyBench, name: string): readonly string[] {
  return Object.keys(pictureOf(bench.state)).filter((path) => path.endsWith(`/${name}`));
}
