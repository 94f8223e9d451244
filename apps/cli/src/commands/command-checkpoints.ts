import { messageOf } from '@cleveragents/shared-kernel';
import type { Workbench } from '../composition-root.ts';
import { withProgress } from '../progress.ts';
import { printable } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';

/** The checkpoints around a command; null where none was taken. */
export interface CommandCheckpoints {
  readonly before: string | null;
  readonly after: string | null;
}

export interface CheckpointedCommand<T> {
  readonly planId: string;
  /** The command, for the list of checkpoints. */
  readonly label: string;
  /** False: run it without. */
  readonly isWanted: boolean;
  readonly run: () => Promise<T>;
}

/**
 * Runs a command in a plan's sandbox between two checkpoints, so that what it did can be taken back. Without the first one
 * it is not run; the second one may fail, with a warning: by then the command has done its work.
 */
export async function betweenCheckpoints<T>(
  terminal: Terminal,
  bench: Workbench,
  { planId, label, isWanted, run }: CheckpointedCommand<T>,
): Promise<{ readonly outcome: T; readonly checkpoints: CommandCheckpoints }> {
  if (!isWanted) return { outcome: await run(), checkpoints: { before: null, after: null } };
  const capture = async (checkpointType: 'pre_command' | 'post_command'): Promise<string> => {
    const request = { planId, checkpointType, reason: label };
    const { checkpoint } = await withProgress(terminal, 'Taking a checkpoint', () =>
      bench.checkpoints.captureCheckpoint(request),
    );
    return checkpoint.checkpointId;
  };
  const before = await capture('pre_command');
  const outcome = await run();
  try {
    return { outcome, checkpoints: { before, after: await capture('post_command') } };
  } catch (error) {
    terminal.error(`warning: no checkpoint was taken after the command: ${printable(messageOf(error))}\n`);
    return { outcome, checkpoints: { before, after: null } };
  }
}
