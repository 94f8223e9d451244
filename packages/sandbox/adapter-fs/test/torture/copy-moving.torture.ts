import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type ScriptProcess, startWriter } from '@cleveragents/shared-testing';
import { CopyBench } from '../support/copy-bench.ts';

const TRIES = 40;

let writer: ScriptProcess | null = null;
afterEach(() => writer?.kill());

describe('a process that still writes into a copy while it is committed', () => {
  it('is noticed, or its later writes stay in the sandbox and are rescued: never half of one', async () => {
    const bench = new CopyBench({ 'replaced.txt': 'begin\n', 'appended.txt': 'begin\n' });
    const outcomes = { noticed: 0, committed: 0 };
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const plan = await bench.active(`plan-${attempt}`);
      // pauses of every length: from one write after the other to hardly any
      writer = await startWriter(plan.path, (attempt % 8) * 40);
      const refusal = await plan.sandbox.commit().then(
        () => null,
        (error: { code: string }) => error.code,
      );
      writer.kill();
      await writer.end();
      if (refusal === null) outcomes.committed++;
      else outcomes.noticed++;
      expect([null, 'SANDBOX_WORKTREE_MOVING']).toContain(refusal);
      for (const path of ['replaced.txt', 'appended.txt']) expectWhole(bench.read(path) ?? '');
      const last = readFileSync(join(plan.path, 'replaced.txt'), 'utf8');
      const { rescuedTo } = await plan.sandbox.cleanup();
      const kept = rescuedTo === null ? bench.root : join(rescuedTo, 'after');
      expect(readFileSync(join(kept, 'replaced.txt'), 'utf8')).toBe(last);
    }
    process.stderr.write(`${JSON.stringify(outcomes)}\n`);
  }, 1_200_000);
});

/** Every line of the writer ends with how it began. */
function expectWhole(text: string): void {
  for (const line of text.trimEnd().split('\n')) expect(line).toMatch(/^(begin|(\d+) x{5000} \2)$/);
}
