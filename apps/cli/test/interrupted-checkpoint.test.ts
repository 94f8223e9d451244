import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withDirectoryLock } from '@cleveragents/shared-adapter-fs';
import { snapshot } from '@cleveragents/shared-testing';
import type { CommonOptions } from '../src/commands/command-action.ts';
import {
  correctPlan,
  createCheckpoint,
  diffCheckpoints,
  rollBackToCheckpoint,
} from '../src/commands/checkpoint.ts';
import { betweenCheckpoints } from '../src/commands/command-checkpoints.ts';
import { exitCodeFor } from '../src/exit-codes.ts';
import { RecordingTerminal } from './recording-terminal.ts';
import { DoctorBench, sandboxOf } from './support/doctor-bench.ts';

const outerHome = process.env['XDG_STATE_HOME'];
let bench: DoctorBench;
let sandboxPath: string;
let checkpointId: string;

beforeEach(async () => {
  bench = await DoctorBench.repository();
  process.env['XDG_STATE_HOME'] = bench.stateFolder;
  sandboxPath = sandboxOf(await bench.plan()).path;
  const { checkpoints } = await bench.open();
  const request = { planId: 'x', decisionId: 'd', checkpointType: 'decision' } as const;
  checkpointId = (await checkpoints.captureCheckpoint(request)).checkpoint.checkpointId;
  writeFileSync(join(sandboxPath, 'work.txt'), 'later\n');
});

afterEach(() => {
  if (outerHome === undefined) delete process.env['XDG_STATE_HOME'];
  else process.env['XDG_STATE_HOME'] = outerHome;
});

const terminal = new RecordingTerminal();
const correction = { decision: 'd', mode: 'revert', guidance: 'no' } as const;

const COMMANDS: readonly [string, (options: CommonOptions) => Promise<unknown>][] = [
  ['checkpoint create', (options) => createCheckpoint(terminal, 'x', { ...options, includeIgnored: [] })],
  ['checkpoint diff', (options) => diffCheckpoints(terminal, checkpointId, undefined, options)],
  [
    'checkpoint rollback',
    (options) => rollBackToCheckpoint(terminal, checkpointId, { ...options, dryRun: false, path: [] }),
  ],
  [
    'checkpoint rollback --dry-run',
    (options) => rollBackToCheckpoint(terminal, checkpointId, { ...options, dryRun: true, path: [] }),
  ],
  ['plan correct', (options) => correctPlan(terminal, 'x', { ...options, ...correction })],
  [
    'a checkpoint before a command',
    async () =>
      betweenCheckpoints(terminal, await bench.open(), {
        planId: 'x',
        label: 'ls',
        isWanted: true,
        run: async () => undefined,
      }),
  ],
];

/** What the command ends with that Ctrl-C meets while somebody else has the store. */
async function interrupted(run: (options: CommonOptions) => Promise<unknown>): Promise<unknown> {
  const options = { project: bench.root, json: false, debug: false, timeout: 30, engine: 'auto' } as const;
  const turns = new EventEmitter();
  const taken = once(turns, 'taken');
  const over = once(turns, 'over');
  const store = join(bench.project.dataFolder, 'checkpoints.git.lock');
  const other = withDirectoryLock(store, () => {
    turns.emit('taken');
    return over;
  });
  await taken;
  const listeners = process.listenerCount('SIGINT');
  let hasEnded = false;
  const ending = run(options)
    .then(
      () => 'it went through',
      (error: unknown) => error,
    )
    .finally(() => (hasEnded = true));
  while (!hasEnded && process.listenerCount('SIGINT') === listeners) await nextTurn();
  process.emit('SIGINT', 'SIGINT');
  turns.emit('over');
  await other;
  return ending;
}

describe('Ctrl-C', () => {
  it.each(COMMANDS)('ends %s with 130, and nothing has changed', async (_name, run) => {
    const { checkpoints } = await bench.open();
    const before = await snapshot(sandboxPath);
    const error = await interrupted(run);
    expect(error).toMatchObject({ code: 'CLI_INTERRUPTED' });
    expect(exitCodeFor(error)).toBe(130);
    expect(await snapshot(sandboxPath)).toEqual(before);
    expect(await checkpoints.listCheckpoints('x')).toMatchObject([{ checkpointId }]);
    await checkpoints.captureCheckpoint({ planId: 'x' });
  });
});
