import { describe, expect, it } from '@jest/globals';
import type { Contract } from '@cleveragents/shared-kernel';
import { runContract, type ContractRunner, type ContractSubject } from '@cleveragents/shared-testing';

interface Counter {
  value: number;
}

const contract: Contract<Counter, 'negative' | 'huge'> = {
  name: 'counter',
  cases: [
    {
      name: 'starts at zero',
      run: async (counter) => {
        await expectValue(counter, 0);
      },
    },
    {
      name: 'goes below zero',
      requires: ['negative'],
      run: async (counter) => {
        await expectValue(counter, 0);
      },
    },
    {
      name: 'goes below the least',
      requires: ['negative', 'huge'],
      run: async (counter) => {
        await expectValue(counter, 0);
      },
    },
  ],
};

async function expectValue(counter: Counter, value: number): Promise<void> {
  expect(counter.value).toBe(value);
  counter.value += 1;
  await Promise.resolve();
}

/** What a runner was given to run. */
function collect(
  subject: ContractSubject<Counter, 'negative' | 'huge'>,
): Map<string, () => Promise<void> | void> {
  const tests = new Map<string, () => Promise<void> | void>();
  const runner: ContractRunner = {
    describe: (_name, body) => {
      body();
    },
    it: (name, body) => {
      tests.set(name, body);
    },
  };
  runContract(contract, subject, runner);
  return tests;
}

const LAST = 'leaves out the cases that it declares, and no others';

describe('runContract', () => {
  it('runs the cases whose capabilities are claimed, each on a fresh subject that is closed', async () => {
    const closed: Counter[] = [];
    const tests = collect({
      open: () => ({ value: 0 }),
      close: (counter) => {
        closed.push(counter);
      },
      capabilities: { negative: true, huge: false },
      leavesOut: ['goes below the least'],
    });
    expect([...tests.keys()]).toEqual(['starts at zero', 'goes below zero', LAST]);
    for (const body of tests.values()) await body();
    expect(closed).toEqual([{ value: 1 }, { value: 1 }]);
  });

  it('fails for a case that is left out and not named, or named and not left out', () => {
    expect(() => collect({ open: () => ({ value: 0 }) }).get(LAST)?.()).toThrow(/goes below zero/);
    const all = { negative: true, huge: true };
    const tests = collect({ open: () => ({ value: 0 }), capabilities: all, leavesOut: ['goes below zero'] });
    expect(() => tests.get(LAST)?.()).toThrow(/goes below zero/);
  });

  it('closes a subject whose case failed', async () => {
    let closed = 0;
    const tests = collect({
      open: () => ({ value: 7 }),
      close: () => {
        closed += 1;
      },
    });
    await expect(tests.get('starts at zero')?.()).rejects.toThrow();
    expect(closed).toBe(1);
  });
});

runContract(contract, { open: () => ({ value: 0 }), capabilities: { negative: true, huge: true } });
