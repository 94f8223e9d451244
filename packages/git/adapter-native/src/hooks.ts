import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import { type BranchUpdate, GitError } from '@cleveragents/git-ports';
import { temporaryName } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import { type NativeRepository, placeOf, type WorktreeRepository } from './native-repository.ts';
import { withPrivateIndex } from './private-index.ts';
import { Deadline, type WorktreeLayout } from './shared-parts.ts';

/**
 * Asks `pre-commit` and `commit-msg` about a commit that is to be recorded. They may refuse it; what they change of files
 * or of the message is no part of it.
 *
 * @throws GitError `GIT_HOOK_FAILED`.
 */
export async function askHooks(repository: WorktreeRepository, commit: ObjectId): Promise<void> {
  const { git, layout, objects, timeoutMs } = repository;
  const { tree, message } = await objects.readCommit(commit);
  const deadline = new Deadline({ timeoutMs });
  await withPrivateIndex(git, layout, { from: 'index', deadline }, async (index) => {
    await index.run(['read-tree', '--reset', '--no-recurse-submodules', tree]);
    await runHook(repository, layout, { name: 'pre-commit', args: [], indexFile: index.file, deadline });
    const file = join(layout.gitDirectory, temporaryName());
    try {
      writeFileSync(file, message);
      await runHook(repository, layout, {
        name: 'commit-msg',
        args: [file],
        indexFile: index.file,
        deadline,
      });
    } finally {
      rmSync(file, { force: true });
    }
  });
}

/** Tells a hook what is done; what it makes of that changes nothing. */
export async function tellHook(
  repository: NativeRepository,
  layout: WorktreeLayout,
  name: 'post-commit' | 'post-merge',
): Promise<void> {
  const deadline = new Deadline({ timeoutMs: repository.timeoutMs });
  try {
    await runHook(repository, layout, { name, args: name === 'post-merge' ? ['0'] : [], deadline });
  } catch (error) {
    if (!hasCode(error, 'GIT_HOOK_FAILED', 'GIT_TIMEOUT')) throw error;
  }
}

/** An update after which `post-merge` runs where files were moved. */
export function tellingAfterwards(repository: NativeRepository, update: BranchUpdate): BranchUpdate {
  const { workTree } = update;
  if (workTree === null) return update;
  return {
    workTree,
    operationInProgress: update.operationInProgress,
    facts: update.facts,
    abandon: () => update.abandon(),
    apply: async () => {
      await update.apply();
      if (workTree === repository.layout.workTree)
        await tellHook(repository, { ...repository.layout, workTree }, 'post-merge');
    },
  };
}

interface HookCall {
  readonly name: string;
  readonly args: readonly string[];
  readonly indexFile?: string;
  readonly deadline: Deadline;
}

async function runHook(
  { git }: NativeRepository,
  layout: WorktreeLayout,
  { name, args, indexFile, deadline }: HookCall,
): Promise<void> {
  try {
    await git.run({
      place: placeOf(layout, indexFile),
      args: ['hook', 'run', '--ignore-missing', name, '--', ...args],
      environment: { GIT_LITERAL_PATHSPECS: '0' },
      runsHooks: true,
      deadline,
    });
  } catch (cause) {
    if (!(cause instanceof GitError) || cause.code !== 'GIT_FAILED') throw cause;
    const said = String(cause.data['stderr'] ?? '').trim();
    throw new GitError('GIT_HOOK_FAILED', `the hook ${name} refused${said === '' ? '' : `: ${said}`}`, {
      hint: 'Do as the hook says in the sandbox, then try again.',
      data: { ...cause.data, hook: name },
      cause,
    });
  }
}
