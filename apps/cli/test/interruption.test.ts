import { describe, expect, it } from '@jest/globals';
import { betweenCheckpoints } from '../src/commands/command-checkpoints.ts';
import { exitCodeFor } from '../src/exit-codes.ts';
import { withProgress } from '../src/progress.ts';
import { RecordingTerminal } from './recording-terminal.ts';

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

describe('work of ours that a signal interrupts', () => {
  it.each(SIGNALS)('is aborted by %s and ends with %i', async (name, exitCode) => {
    const error = await failureOf(
      withProgress(new RecordingTerminal(), 'Applying', async ({ signal }) => {
        process.emit(name, name);
        signal.throwIfAborted();
      }),
    );
    expect(error).toMatchObject({ code: 'CLI_INTERRUPTED', message: `Applying: interrupted by ${name}` });
    expect(exitCodeFor(error)).toBe(exitCode);
  });

  it('leaves no listener behind', async () => {
    const before = process.listenerCount('SIGTERM');
    await withProgress(new RecordingTerminal(), 'Applying', async () => undefined);
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  it('that came through all the same is done', async () => {
    const result = await withProgress(new RecordingTerminal(), 'Applying', async () => {
      process.emit('SIGTERM', 'SIGTERM');
      return 'applied';
    });
    expect(result).toBe('applied');
  });
});

describe('a checkpoint that a signal interrupts', () => {
  const interruptedAt = (number: number): Parameters<typeof betweenCheckpoints>[1] => {
    let taken = 0;
    return {
      checkpoints: {
        captureCheckpoint: async () => {
          if (++taken === number) process.emit('SIGTERM', 'SIGTERM');
          return { checkpoint: { checkpointId: `checkpoint-${taken}` } } as never;
        },
      },
    };
  };
  const runs: string[] = [];
  const command = { planId: 'a', label: 'ls', isWanted: true, run: async () => void runs.push('ls') };

  it('keeps the command from being run', async () => {
    const error = await failureOf(betweenCheckpoints(new RecordingTerminal(), interruptedAt(1), command));
    expect(error).toMatchObject({ code: 'CLI_INTERRUPTED' });
    expect(runs).toEqual([]);
  });

  it('keeps everything after the command from being done', async () => {
    const error = await failureOf(betweenCheckpoints(new RecordingTerminal(), interruptedAt(2), command));
    expect(error).toMatchObject({ code: 'CLI_INTERRUPTED' });
    expect(runs).toEqual(['ls']);
  });
});
