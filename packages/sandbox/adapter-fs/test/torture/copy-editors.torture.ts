import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type EditorSave, type ScriptProcess, startEditor } from '@cleveragents/shared-testing';
import { CopyBench } from '../support/copy-bench.ts';

const TRIES = 100;

let editor: ScriptProcess | null = null;
afterEach(() => editor?.kill());

describe.each(['rename', 'in-place'] as const)(
  'a file that an editor saves (%s) while an apply replaces it',
  (how) => {
    it('is never lost', async () => {
      const bench = new CopyBench({ 'edited.txt': 'begin\n', 'other.txt': 'other\n' });
      editor = await startEditor();
      const outcomes: Record<string, number> = {};
      for (let attempt = 0; attempt < TRIES; attempt++) {
        const outcome = await tryOnce(bench, editor, { how, attempt });
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
      process.stderr.write(`${how}: ${JSON.stringify(outcomes)}\n`);
      expect(readdirSync(bench.root).filter((name) => name.startsWith('.'))).toEqual([]);
    }, 1_200_000);
  },
);

async function tryOnce(
  bench: CopyBench,
  process: ScriptProcess,
  { how, attempt }: { readonly how: EditorSave['how']; readonly attempt: number },
): Promise<string> {
  const theirs = `the user's ${attempt}\n`;
  const agents = `the agent's ${attempt}\n`;
  const before = bench.read('other.txt');
  const plan = await bench.active(`plan-${attempt}`);
  plan.write('edited.txt', agents);
  plan.write('other.txt', `other ${attempt}\n`);
  const save: EditorSave = {
    path: join(bench.root, 'edited.txt'),
    content: theirs,
    how,
    // most often in the very moment of the exchange
    waitsFor: attempt % 4 === 0 ? null : join(bench.root, '.cleveragents-apply-'),
    delayMs: attempt % 4 === 0 ? Math.random() * 100 : Math.random() * 8,
  };
  process.say(JSON.stringify(save));
  const refusal = await plan.sandbox.commit().then(
    () => null,
    (error: { code: string }) => error.code,
  );
  expect(await process.nextLine()).toBe('saved');
  const content = bench.read('edited.txt');
  const saved = readdirSync(bench.root).filter((name) => name.startsWith('edited.txt~saved'));
  const beside = saved.map((name) => readFileSync(join(bench.root, name), 'utf8'));
  expect([content, ...beside]).toContain(theirs);
  if (refusal !== null) {
    expect(refusal).toBe('SANDBOX_MERGE_CONFLICT');
    expect({ content, other: bench.read('other.txt') }).toEqual({ content: theirs, other: before });
  } else expect(bench.read('other.txt')).toBe(`other ${attempt}\n`);
  for (const name of saved) bench.remove(name);
  await plan.sandbox.cleanup();
  return refusal ?? (content === theirs ? 'on top' : 'beside');
}
