import type { ObjectId } from '@cleveragents/git-domain';
import type { GitEngine, RepositoryFacts } from '@cleveragents/git-ports';
import { type SandboxCreationCode, SandboxCreationError } from '@cleveragents/sandbox-domain';

/** A repository that a sandbox can be made of. */
export interface UsableRepository extends RepositoryFacts {
  readonly workTree: string;
  readonly head: { readonly branch: string | null; readonly commit: ObjectId };
}

/**
 * Reads what there is at `path` and refuses what no sandbox can be made of.
 * @param path as the caller gave it, for messages. @param realPath the same with links resolved.
 */
export async function inspectOriginal(
  engine: GitEngine,
  path: string,
  realPath: string,
): Promise<UsableRepository> {
  const facts = await engine.inspect(realPath);
  if (facts === null)
    throw refusal('SANDBOX_NOT_A_REPOSITORY', `${path} is not a git repository`, {
      hint: 'Run `git init` and commit there, or use a resource type that is copied instead.',
      data: { path },
    });
  if (facts.workTree === null)
    throw refusal('SANDBOX_BARE_REPOSITORY', `${path} is a bare repository and has no files to work on`, {
      hint: 'Give the path of a clone or a worktree of it.',
      data: { path },
    });
  if (facts.workTree !== realPath)
    throw refusal('SANDBOX_NOT_REPOSITORY_ROOT', `${path} is not the root of a git repository`, {
      hint: `Give the root instead: ${facts.workTree}`,
      data: { path, root: facts.workTree },
    });
  if (facts.unsupported.length > 0) throw unsupported(path, facts);
  if (facts.operationInProgress !== null)
    throw refusal(
      'SANDBOX_OPERATION_IN_PROGRESS',
      `A ${facts.operationInProgress} is in progress in ${path}`,
      {
        hint: `Finish it, or abort it with \`git ${facts.operationInProgress} --abort\`, then try again.`,
        data: { path, operation: facts.operationInProgress },
      },
    );
  const { commit } = facts.head;
  if (commit === null)
    throw refusal('SANDBOX_NO_COMMIT', `${path} has no commit yet`, {
      hint: 'Make a first commit: `git add -A && git commit`.',
      data: { path },
    });
  return { ...facts, workTree: facts.workTree, head: { branch: facts.head.branch, commit } };
}

function unsupported(path: string, { unsupported: features }: RepositoryFacts): SandboxCreationError {
  const list = features.map(({ feature, detail }) => `${feature} (${detail})`).join(', ');
  return refusal('SANDBOX_UNSUPPORTED_REPOSITORY', `${path} uses what the sandbox cannot do: ${list}`, {
    hint: [...new Set(features.map(({ wayOut }) => wayOut))].join(' '),
    data: { path, features },
  });
}

function refusal(
  code: SandboxCreationCode,
  message: string,
  details: ConstructorParameters<typeof SandboxCreationError>[2],
): SandboxCreationError {
  return new SandboxCreationError(code, message, details);
}
