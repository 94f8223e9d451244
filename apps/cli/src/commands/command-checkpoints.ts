import type { CheckpointService } from '@cleveragents/checkpoint-application';
import { hasCode, messageOf } from '@cleveragents/shared-kernel';
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
 * @throws CliError `CLI_INTERRUPTED`: whoever ends us wants nothing more to be done.
 */
export async function betweenCheckpoints<T>(
  terminal: Terminal,
  { checkpoints }: { readonly checkpoints: Pick<CheckpointService, 'captureCheckpoint'> },
  { planId, label, isWanted, run }: CheckpointedCommand<T>,
): Promise<{ readonly outcome: T; readonly checkpoints: CommandCheckpoints }> {
  if (!isWanted) return { outcome: await run(), checkpoints: { before: null, after: null } };
  const capture = async (checkpointType: 'pre_command' | 'post_command'): Promise<string> => {
    const request = { planId, checkpointType, reason: label };
    return withProgress(terminal, 'Taking a checkpoint', async ({ signal }) => {
      const { checkpoint } = await checkpoints.captureCheckpoint({ ...request, signal });
      signal.throwIfAborted();
      return checkpoint.checkpointId;
    });
  };
  const before = await capture('pre_command');
  const outcome = await run();
  try {
    return { outcome, checkpoints: { before, after: await capture('post_command') } };
  } catch (error) {
    if (hasCode(error, 'CLI_INTERRUPTED')) throw error;
    terminal.error(`warning: no checkpoint was taken after the command: ${printable(messageOf(error))}\n`);
    return { outcome, checkpoints: { before, after: null } };
  }
}
