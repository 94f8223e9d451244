import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';

/**
 * The folder for data that must outlive a reboot but is no configuration, made (mode 0700) if it is not there:
 * `$XDG_STATE_HOME/cleveragents`, else `~/.local/state/cleveragents`; on Windows `%LOCALAPPDATA%\cleveragents`.
 * A relative value counts as unset, as the XDG base directory specification says.
 */
export function stateDirectory(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const directory = stateDirectoryPath(environment, platform);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/** The path of the same folder, for those that only look: it is not made. */
export function stateDirectoryPath(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  return join(stateHome(environment, platform), 'cleveragents');
}

function stateHome(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): string {
  const { isAbsolute } = platform === 'win32' ? win32 : posix;
  const absolute = (value: string | undefined): string | undefined =>
    value !== undefined && isAbsolute(value) ? value : undefined;
  if (platform === 'win32')
    return absolute(environment['LOCALAPPDATA']) ?? join(homedir(), 'AppData', 'Local');
  return (
    absolute(environment['XDG_STATE_HOME']) ??
    join(absolute(environment['HOME']) ?? homedir(), '.local', 'state')
  );
}
