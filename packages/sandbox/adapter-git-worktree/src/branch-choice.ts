import type { WorktreeHost } from '@cleveragents/git-ports';
import { branchNameForPlan, distinctBranchName, SandboxCreationError } from '@cleveragents/sandbox-domain';
import { fullBranchName } from './worktree-session.ts';

const NAMESPACE = 'refs/heads/cleveragents';

/**
 * The branch for a plan's new sandbox: the plain name, or the one with a hash when another plan has or blocks that.
 * Somebody else may take it before it is made: callers try again then.
 *
 * @returns the full name.
 * @throws SandboxCreationError when the plan has a sandbox already, or the name belongs to nobody we know.
 */
export async function chooseBranch(host: WorktreeHost, planId: string): Promise<string> {
  await assertNamespaceIsFree(host);
  const refs = (await host.listRefs(NAMESPACE)).map(({ name }) => name);
  const owners = new Map(
    (await host.listWorktrees()).flatMap(({ owner }) =>
      owner === null ? [] : [[owner.branch, owner.planId]],
    ),
  );
  const plain = fullBranchName(branchNameForPlan(planId));
  const distinct = fullBranchName(distinctBranchName(planId));
  for (const branch of [plain, distinct]) {
    if (owners.get(branch) === planId) throw ownBranchExists(planId, branch);
    if (refs.includes(branch)) {
      if (!owners.has(branch)) throw foreignBranchExists(branch);
      continue;
    }
    if (!refs.some((ref) => isPrefix(ref, branch) || isPrefix(branch, ref))) return branch;
  }
  throw new SandboxCreationError(
    'SANDBOX_BRANCH_BLOCKED',
    `No branch name is free for plan ${JSON.stringify(planId)}`,
    {
      hint: `Rename or delete the branches below ${NAMESPACE.replace('refs/heads/', '')}/ that are in the way, or choose another plan id.`,
      data: { planId, tried: [plain, distinct] },
    },
  );
}

/** `refs/heads/a` is a directory to git when `refs/heads/a/b` exists: the two cannot be there together. */
function isPrefix(shorter: string, longer: string): boolean {
  return longer.startsWith(`${shorter}/`);
}

async function assertNamespaceIsFree(host: WorktreeHost): Promise<void> {
  if ((await host.readRef(NAMESPACE)) === null) return;
  throw new SandboxCreationError(
    'SANDBOX_BRANCH_BLOCKED',
    'A branch called cleveragents is in the way of every sandbox branch (cleveragents/plan-…)',
    { hint: 'Rename it: `git branch -m cleveragents <other-name>`.', data: { branch: 'cleveragents' } },
  );
}

function ownBranchExists(planId: string, branch: string): SandboxCreationError {
  return new SandboxCreationError(
    'SANDBOX_BRANCH_EXISTS',
    `Plan ${JSON.stringify(planId)} has a sandbox already`,
    {
      hint: 'Continue with that one, or clean it up first: `cleveragents plan cleanup`.',
      data: { planId, branch },
    },
  );
}

function foreignBranchExists(branch: string): SandboxCreationError {
  const short = branch.replace('refs/heads/', '');
  return new SandboxCreationError(
    'SANDBOX_BRANCH_EXISTS',
    `The branch ${short} exists and no sandbox made it`,
    {
      hint: `Rename it (\`git branch -m ${short} <other-name>\`) or delete it, or choose another plan id.`,
      data: { branch },
    },
  );
}
