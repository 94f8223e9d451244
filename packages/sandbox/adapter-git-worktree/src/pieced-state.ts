import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findMergeBases, type ObjectId } from '@cleveragents/git-domain';
import type { WorktreeHost } from '@cleveragents/git-ports';
import type { SandboxState } from '@cleveragents/sandbox-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import { shortBranchName } from './worktree-session.ts';

/** What is left of a sandbox that no plan record tells of. */
export interface FoundWorktree {
  readonly planId: string;
  readonly sandboxId: string;
  /** Full name. */
  readonly branch: string;
  readonly path: string;
  readonly gitDirectory: string;
  /** The commit that its HEAD is at; null when nothing tells. */
  readonly head: ObjectId | null;
}

/**
 * From what a sandbox can be reopened whose record is gone. Its changes are counted from where its branch left the
 * project's own: what the project had before is no change of the plan.
 *
 * @returns null when no commit is left of it.
 */
export async function piecedState(host: WorktreeHost, found: FoundWorktree): Promise<SandboxState | null> {
  const { planId, sandboxId, path } = found;
  const own = await host.readHead();
  const tip = found.head ?? (await host.readRef(found.branch));
  if (tip === null) return null;
  const [fork] = own.commit === null ? [] : await findMergeBases(host.objects, own.commit, tip);
  const originalPath = rootOf(host);
  return {
    status: 'active',
    sandboxId,
    context: {
      sandboxId,
      planId,
      resourceId: basename(originalPath),
      originalPath,
      sandboxPath: path,
      createdAt: madeAt(found).toISOString(),
      metadata: {
        strategy: 'git_worktree',
        branch: shortBranchName(found.branch),
        baseCommit: fork ?? tip,
        targetBranch: own.branch === null ? null : shortBranchName(own.branch),
        gitDirectory: found.gitDirectory,
        engine: host.engine,
        engineReason: 'the doctor pieced the record together',
        linkedPaths: [...linksInto(originalPath, path)],
      },
    },
  };
}

/** Also where a setting says that there is no work tree. */
function rootOf({ facts: { workTree, commonDirectory } }: WorktreeHost): string {
  return workTree ?? (basename(commonDirectory) === '.git' ? dirname(commonDirectory) : commonDirectory);
}

/** What was kept before is of an earlier sandbox: the folder's own age is the earliest that it can be of this one. */
function madeAt({ path, gitDirectory }: FoundWorktree): Date {
  const found =
    lstatSync(path, { throwIfNoEntry: false }) ?? lstatSync(gitDirectory, { throwIfNoEntry: false });
  return found === undefined || found.birthtimeMs === 0 ? new Date() : found.birthtime;
}

/** Links to the same path of the original are what `--link` made, and no work. */
function linksInto(originalPath: string, path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter(
        (entry) =>
          entry.isSymbolicLink() && readlinkSync(join(path, entry.name)) === join(originalPath, entry.name),
      )
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return [];
    throw error;
  }
}
