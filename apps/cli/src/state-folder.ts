import { stateDirectory, stateDirectoryPath } from '@cleveragents/shared-adapter-fs';
import { messageOf } from '@cleveragents/shared-kernel';
import { CliError } from './cli.errors.ts';

/**
 * The folder that sandboxes are made in, made when it is not there.
 * @throws CliError `CLI_STATE_FOLDER`.
 */
export function openStateFolder(): string {
  try {
    return stateDirectory();
  } catch (cause) {
    throw new CliError('CLI_STATE_FOLDER', `The folder for sandboxes cannot be made: ${messageOf(cause)}`, {
      hint: 'Free space or permissions there, or set XDG_STATE_HOME to a folder that you may write to.',
      cause,
    });
  }
}

/** The same folder for those that only look: it may not be there. */
export function locateStateFolder(): string {
  return stateDirectoryPath();
}
