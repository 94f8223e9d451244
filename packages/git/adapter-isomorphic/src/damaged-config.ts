import type { GitFormatError } from '@cleveragents/git-domain';
import { GitError } from '@cleveragents/git-ports';

export function damagedConfig(path: string, cause: GitFormatError): GitError {
  return new GitError('GIT_CORRUPT', `${path}: ${cause.message}`, {
    hint: 'Git refuses this file too: correct the line.',
    data: { path, ...cause.data },
    cause,
  });
}
