import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type EditorSave, type ScriptProcess, startEditor } from '@cleveragents/shared-testing';
import { openBench, type SandboxBench } from '../sandbox-bench.ts';
import { litterIn } from '../support/picture.ts';

const TRIES = 100;

let editor: ScriptProcess | null = null;
afterEach(() => editor?.kill());

describe.each(['rename', 'in-place'] as const)(
  'a file that an editor saves (%s) while an apply replaces it',
  (how) => {
    it('is never lost', async () => {
      const bench = await openBench({ 'edited.txt': 'begin\n', 'other.txt': 'other\n' });
      editor = await startEditor();
      const outcomes: Record<string, number> = {};
      for (let attempt = 0; attempt < TRIES; attempt++) {
        const outcome = await tryOnce(bench, editor, { how, attempt });
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
      process.stderr.write(`${how}: ${JSON.stringify(outcomes)}\n`);
      await bench.repository.fsck();
      expect(litterIn(join(bench.repository.root, '.git'))).toEqual([]);
    }, 1_200_000);
  },
);

async function tryOnce(
  bench: SandboxBench,
  process: ScriptProcess,
  { how, attempt }: { readonly how: EditorSave['how']; readonly attempt: number },
): Promise<string> {
  const { root } = bench.repository;
  const theirs = `the user's ${attempt}\n`;
  const agents = `the agent's ${attempt}\n`;
  const before = await bench.repository.head();
  const plan = await bench.active(`plan-${attempt}`);
  plan.write('edited.txt', agents);
  plan.write('other.txt', `other ${attempt}\n`);
  const save: EditorSave = {
    path: join(root, 'edited.txt'),
    content: theirs,
    how,
    // most often in the very moment of the exchange
    waitsFor: attempt % 4 === 0 ? null : join(root, '.git/cleveragents-staging'),
    delayMs: attempt % 4 === 0 ? Math.random() * 200 : Math.random() * 2,
  };
  process.say(JSON.stringify(save));
  const refusal = await plan.sandbox.commit().then(
    () => null,
    (error: { code: string }) => error.code,
  );
  expect(await process.nextLine()).toBe('saved');
  const content = bench.read('edited.txt');
  const saved = readdirSync(root).filter((name) => name.startsWith('edited.txt~saved'));
  const beside = saved.map((name) => readFileSync(join(root, name), 'utf8'));
  expect([content, ...beside]).toContain(theirs);
  if (refusal !== null) {
    expect(refusal).toBe('SANDBOX_TARGET_DIRTY');
    expect({ content, head: await bench.repository.head() }).toEqual({ content: theirs, head: before });
    expect(await bench.status()).toEqual(['.M edited.txt']);
  } else expect(await bench.repository.git('show', 'HEAD:edited.txt')).toBe(agents.trimEnd());
  await plan.sandbox.cleanup();
  await bench.repository.commit(`after ${attempt}`);
  return refusal ?? (content === theirs ? 'on top' : 'beside');
}
