import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createRepository, temporaryDirectory } from '@cleveragents/shared-testing';
import { bundledCli } from './support/bundled-cli.ts';
import { RefusalBench } from './support/refusal-bench.ts';

const bundle = temporaryDirectory();
let cli: readonly string[];
let bench: RefusalBench;

beforeAll(async () => {
  cli = await bundledCli(bundle.path);
});
afterAll(() => bundle.remove());
beforeEach(async () => {
  bench = await RefusalBench.open(cli);
  bench.set('CLEVERAGENTS_GIT_ENGINE', 'auto');
});
afterEach(() => bench.close());

/** The engine of plan `p`, and why it is that one. */
function engineOfPlan(): unknown {
  const { plan } = JSON.parse(bench.succeed('plan', 'show', 'p', '--json'));
  const { engine, engineReason } = plan.sandbox.context.metadata;
  return { engine, engineReason };
}

describe('the git engine of a plan', () => {
  it('is the isomorphic one where that can do all', () => {
    bench.succeed('plan', 'create', 'p');
    expect(engineOfPlan()).toEqual({
      engine: 'isomorphic',
      engineReason: 'it can do all that the repository needs',
    });
  });

  it('is the native one where only the installed git can do it, as plan show explains', async () => {
    bench.project = (await createRepository({ objectFormat: 'sha256', files: { a: 'a\n' } })).root;
    bench.succeed('plan', 'create', 'p');
    expect(engineOfPlan()).toMatchObject({
      engine: 'native',
      engineReason: expect.stringContaining('sha256'),
    });
    expect(bench.succeed('plan', 'show', 'p')).toMatch(/^Engine +native: the repository uses .*sha256/m);
  });

  it.each([
    ['an option', ['--engine', 'native'], 'auto'],
    ['an option before the command’s name', [], 'auto', ['--engine', 'native']],
    ['a variable', [], 'native'],
  ])('is the one that %s asks for', (_what, options, variable, early: readonly string[] = []) => {
    bench.set('CLEVERAGENTS_GIT_ENGINE', variable);
    bench.succeed(...early, 'plan', 'create', 'p', ...options);
    expect(engineOfPlan()).toEqual({ engine: 'native', engineReason: 'it was asked for' });
  });

  it('stays the one that made the plan, whatever is asked for later', () => {
    bench.succeed('plan', 'create', 'p', '--engine', 'native');
    bench.succeed('plan', 'exec', 'p', '--', 'sh', '-c', 'echo new > new.txt');
    bench.succeed('plan', 'apply', 'p', '--engine', 'isomorphic');
    bench.succeed('plan', 'rollback', 'p');
    expect(engineOfPlan()).toMatchObject({ engine: 'native' });
  });

  it.each([
    ['option', ['--engine', 'libgit2'], 'auto'],
    ['variable', [], 'libgit2'],
  ])('is refused as wrong usage when the %s names no engine', (_what, options, variable) => {
    bench.set('CLEVERAGENTS_GIT_ENGINE', variable);
    const { status, errors } = bench.run(['plan', 'create', 'p', ...options]);
    expect(status).toBe(2);
    expect(errors).toContain('Allowed choices are auto, isomorphic, native');
  });

  it('needs an installed git, and says so, where only that can do it', async () => {
    bench.project = (await createRepository({ objectFormat: 'sha256', files: { a: 'a\n' } })).root;
    bench.set('PATH', dirname(bundle.path));
    const { status, errors } = bench.run(['plan', 'create', 'p']);
    expect(status).toBe(5);
    expect(errors).toMatch(/sha256[^]*Install git 2\.38 or later/);
  });
});
