import assert from 'node:assert/strict';
import { type Contract, parsePlanId, planKey } from '@cleveragents/shared-kernel';
import type { SandboxContext, SandboxTrace } from '@cleveragents/sandbox-domain';
import type { Sandbox, SandboxFactory } from '../sandbox.ts';

/** A factory, and a project that no sandbox was ever made of. */
export interface SandboxFactorySubject {
  readonly factory: SandboxFactory;
  /** Absolute, links resolved. */
  readonly originalPath: string;
  /** Writes a file of a folder. */
  write(folder: string, path: string, text: string): Promise<void>;
  /** Takes a folder away, as a cleaner would. */
  removeFolder(path: string): Promise<void>;
}

const PLAN = parsePlanId('plan-001');

async function worked(
  subject: SandboxFactorySubject,
): Promise<{ sandbox: Sandbox; context: SandboxContext }> {
  const { factory, originalPath, write } = subject;
  const sandbox = factory.make({ resourceId: 'app', originalPath });
  const context = await sandbox.create(PLAN);
  await write(await sandbox.getPath('.'), 'work.txt', 'work\n');
  return { sandbox, context };
}

async function onlyTrace(
  { factory, originalPath }: SandboxFactorySubject,
  known: readonly SandboxContext[],
): Promise<SandboxTrace> {
  const { traces } = await factory.inspect(originalPath, known);
  assert.equal(traces.length, 1);
  return traces[0] as SandboxTrace;
}

/** What every factory tells of the sandboxes that it finds, and how it repairs. */
export const sandboxFactoryContract: Contract<SandboxFactorySubject> = {
  name: 'SandboxFactory',
  cases: [
    {
      name: 'finds nothing where no sandbox was ever made',
      async run({ factory, originalPath }) {
        const facts = await factory.inspect(originalPath, []);
        const { traces, branches, memories, rescues, operations, locks, damage, strategy } = facts;
        assert.deepEqual([traces, branches, memories, rescues, operations, locks], [[], [], [], [], [], []]);
        assert.equal(damage, null);
        assert.equal(strategy, factory.strategy);
      },
    },
    {
      name: 'finds a sandbox by its traces alone, and what it can be reopened from and gone on with',
      async run(subject) {
        const { sandbox, context } = await worked(subject);
        const trace = await onlyTrace(subject, []);
        const { sandboxId, planId, path, condition, state } = trace;
        assert.deepEqual(
          { sandboxId, planId, path, condition },
          { sandboxId: sandbox.sandboxId, planId: PLAN, path: context.sandboxPath, condition: 'whole' },
        );
        assert.ok(state);
        const { factory, originalPath } = subject;
        const reopened = factory.reopen({ resourceId: 'app', originalPath }, state);
        assert.deepEqual((await reopened.changes()).files, (await sandbox.changes()).files);
        await reopened.commit('as if nothing had happened');
        assert.deepEqual((await factory.inspect(originalPath, [])).locks, []);
      },
    },
    {
      name: 'finds a sandbox once, also when a plan counts on it',
      async run(subject) {
        const { sandbox, context } = await worked(subject);
        assert.equal((await onlyTrace(subject, [context])).sandboxId, sandbox.sandboxId);
      },
    },
    {
      name: 'finds that the folder of a sandbox is gone',
      async run(subject) {
        const { context } = await worked(subject);
        await subject.removeFolder(context.sandboxPath);
        assert.equal((await onlyTrace(subject, [context])).condition, 'missing');
        assert.equal((await onlyTrace(subject, [])).condition, 'missing');
      },
    },
    {
      name: 'finds nothing of a sandbox that was cleaned up, but the work that was saved',
      async run(subject) {
        const { sandbox } = await worked(subject);
        const { rescuedTo } = await sandbox.cleanup();
        const { traces, branches, memories, rescues } = await subject.factory.inspect(
          subject.originalPath,
          [],
        );
        assert.deepEqual([traces, branches, memories], [[], [], []]);
        assert.deepEqual(
          [...rescues].map(({ ref, key }) => ({ ref, key })),
          [{ ref: rescuedTo, key: planKey(PLAN) }],
        );
      },
    },
    {
      name: 'says of a project that is not there any more where it was',
      async run({ factory, originalPath }) {
        const gone = `${originalPath}-gone`;
        const calls = [
          () => factory.inspect(gone, []),
          () => factory.recover(gone),
          () => factory.listRescued(gone, PLAN),
        ];
        for (const call of calls)
          await assert.rejects(call, {
            code: 'SANDBOX_SOURCE_MISSING',
            message: `There is no project at ${gone} any more`,
          });
      },
    },
    {
      name: 'repairs nothing where nothing is broken, and says so',
      async run(subject) {
        const { factory, originalPath } = subject;
        const { sandbox } = await worked(subject);
        const before = await sandbox.changes();
        assert.notEqual(await factory.repair(originalPath, { step: 'recover' }), '');
        assert.notEqual(await factory.repair(originalPath, { step: 'free-lock', path: originalPath }), '');
        assert.notEqual(await factory.repair(originalPath, { step: 'reattach', state: sandbox.state }), '');
        assert.deepEqual(await sandbox.changes(), before);
      },
    },
  ],
};
