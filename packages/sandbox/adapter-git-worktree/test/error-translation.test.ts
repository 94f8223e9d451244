import { describe, expect, it } from '@jest/globals';
import { GitError } from '@cleveragents/git-ports';
import { translateError } from '../src/error-translation.ts';

describe('what the system refuses', () => {
  const fullDisk = new GitError('GIT_FILE_SYSTEM', 'cannot write object: ENOSPC');

  it.each([
    ['create', 'SANDBOX_CREATION_FAILED'],
    ['commit', 'SANDBOX_COMMIT_FAILED'],
    ['rollback', 'SANDBOX_ROLLBACK_FAILED'],
    ['cleanup', 'SANDBOX_CLEANUP_FAILED'],
    ['inspect', 'SANDBOX_READ_FAILED'],
  ] as const)('is told as that by %s, and not as a fault of the sandbox', (call, code) => {
    expect(translateError(fullDisk, call)).toMatchObject({
      code,
      message: 'cannot write object: ENOSPC',
      hint: expect.stringContaining('disk space'),
      data: { gitCode: 'GIT_FILE_SYSTEM' },
    });
  });

  it('is another thing than a sandbox whose git files do not fit', () => {
    const broken = new GitError('GIT_WORKTREE_BROKEN', 'they do not point to each other');
    expect(translateError(broken, 'inspect')).toMatchObject({
      code: 'SANDBOX_BROKEN',
      hint: expect.stringContaining('plan cleanup'),
    });
  });
});
