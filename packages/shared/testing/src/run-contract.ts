import { deepStrictEqual } from 'node:assert/strict';
import type { Contract, ContractCase } from '@cleveragents/shared-kernel';

/** What a contract is run against. */
export interface ContractSubject<Subject, Capability extends string> {
  /** A fresh one for each case. */
  open(): Promise<Subject> | Subject;
  /** Called after each case, also after one that failed. */
  close?(subject: Subject): Promise<void> | void;
  /** What the subject claims to be able to do. One that is not named is not claimed. */
  readonly capabilities?: Readonly<Partial<Record<Capability, boolean>>>;
  /** The names of the cases that are left out for want of a capability, in order: a new one has to be looked at. */
  readonly leavesOut?: readonly string[];
}

/** The part of a test runner that is needed; Jest's, unless another is given. */
export interface ContractRunner {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => Promise<void> | void): void;
}

/**
 * Registers every case whose required capabilities the subject claims as a test of its own, and one test more that fails
 * unless the other cases are exactly those that `leavesOut` names.
 */
export function runContract<Subject, Capability extends string>(
  contract: Contract<Subject, Capability>,
  subject: ContractSubject<Subject, Capability>,
  { describe, it }: ContractRunner = globalRunner(),
): void {
  const isClaimed = ({ requires = [] }: ContractCase<Subject, Capability>): boolean =>
    requires.every((capability) => subject.capabilities?.[capability] === true);
  describe(contract.name, () => {
    for (const contractCase of contract.cases.filter(isClaimed))
      it(contractCase.name, async () => {
        await runCase(contractCase, subject);
      });
    it('leaves out the cases that it declares, and no others', () => {
      const left = contract.cases.filter((contractCase) => !isClaimed(contractCase)).map(({ name }) => name);
      deepStrictEqual(left, subject.leavesOut ?? []);
      deepStrictEqual(duplicates(contract.cases.map(({ name }) => name)), []);
    });
  });
}

async function runCase<Subject, Capability extends string>(
  contractCase: ContractCase<Subject, Capability>,
  subject: ContractSubject<Subject, Capability>,
): Promise<void> {
  const opened = await subject.open();
  try {
    await contractCase.run(opened);
  } finally {
    await subject.close?.(opened);
  }
}

function duplicates(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/** Jest's functions are globals of its test environment; `@jest/globals` can not even be imported anywhere else. */
function globalRunner(): ContractRunner {
  const { describe, it } = globalThis as Partial<ContractRunner>;
  if (describe === undefined || it === undefined)
    throw new Error('runContract needs `describe` and `it`: pass them, or call it from a Jest test file');
  return { describe, it };
}
