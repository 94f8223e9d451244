import { join } from 'node:path';
import { GitFormatError, withConfigValue } from '@cleveragents/git-domain';
import { GitError } from '@cleveragents/git-ports';
import { damagedConfig } from './damaged-config.ts';
import { readTextIfThere } from './file-access.ts';
import { acquireLockFile } from './lock-file.ts';
import type { RepositoryCore } from './repository.ts';

/** See `WorktreeHost.restoreSetting`. */
export async function restoreSetting(
  { layout, timeoutMs }: RepositoryCore,
  name: string,
  value: string | null,
): Promise<void> {
  const file = join(layout.commonDirectory, 'config');
  const lock = await acquireLockFile(file, { timeoutMs });
  try {
    const text = readTextIfThere(file) ?? '';
    const edited = edit(file, text, name, value);
    if (edited === text) return;
    await lock.write(Buffer.from(edited));
    await lock.commit();
  } finally {
    await lock.release();
  }
}

function edit(file: string, text: string, name: string, value: string | null): string {
  try {
    const edited = withConfigValue(text, name, value);
    if (edited !== null) return edited;
  } catch (cause) {
    throw cause instanceof GitFormatError ? damagedConfig(file, cause) : cause;
  }
  const command = value === null ? `git config --unset-all ${name}` : `git config ${name} ${value}`;
  throw new GitError('GIT_CONFIG_UNCHANGED', `${name} cannot be changed alone in ${file}`, {
    hint: `Change it by hand: \`${command}\`.`,
    data: { file, name, value },
  });
}
