import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CapturedTree, GitEngine, WorktreeHost } from '@cleveragents/git-ports';
import { listed, SandboxError } from '@cleveragents/sandbox-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import type { WorktreeSession } from './worktree-session.ts';

/**
 * A sandbox takes its nested repositories and submodules with it when it goes, and no ref of the project can keep what
 * they hold.
 * @throws SandboxError `SANDBOX_CLEANUP_FAILED` when one of them has work that none of its remotes has.
 */
export async function assertNoNestedWork(
  { engine, context, metadata, timeoutMs }: WorktreeSession,
  omitted: CapturedTree['omitted'],
): Promise<void> {
  const nested = omitted
    .filter(({ reason }) => reason === 'nested-repository')
    .map(({ path }) => join(context.sandboxPath, path));
  const paths = new Set([...nested, ...submodulePaths(join(metadata.gitDirectory, 'modules'))]);
  const holding: string[] = [];
  for (const path of paths) if (await holdsWork(engine, path, timeoutMs)) holding.push(path);
  if (holding.length === 0) return;
  throw new SandboxError(
    'SANDBOX_CLEANUP_FAILED',
    `The sandbox holds repositories of their own, with work that is nowhere else:\n${listed(holding)}`,
    {
      hint: 'Push what they hold, move them out of the sandbox, or remove them. Then clean up again.',
      data: { path: context.sandboxPath, repositories: holding },
    },
  );
}

/** Roots of the submodules that were made in the sandbox: their git folders lie in its own. */
function* submodulePaths(folder: string): Generator<string> {
  for (const name of foldersIn(folder)) {
    const directory = join(folder, name);
    const root = workTreeOf(directory);
    if (root !== null) yield root;
    yield* submodulePaths(root === null ? directory : join(directory, 'modules'));
  }
}

function foldersIn(folder: string): readonly string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/** Null when the folder is no submodule's git folder: a name of one may have slashes. */
function workTreeOf(directory: string): string | null {
  try {
    const setting = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(readFileSync(join(directory, 'config'), 'utf8'));
    return setting?.[1] === undefined ? null : resolve(directory, setting[1]);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EISDIR')) return null;
    throw error;
  }
}

async function holdsWork(engine: GitEngine, path: string, timeoutMs: number): Promise<boolean> {
  try {
    const facts = await engine.inspect(path);
    if (facts?.workTree !== realpathSync(path)) return false; // taken apart: its files count as the sandbox's
    const host = await engine.open(path, { timeoutMs });
    if ((await host.listUncommitted()).length > 0 || (await host.readRef('refs/stash')) !== null) return true;
    return await hasUnpushed(host);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    return true; // nobody can say what a repository holds that cannot be read
  }
}

async function hasUnpushed(host: WorktreeHost): Promise<boolean> {
  const { commit } = await host.readHead();
  const branches = (await host.listRefs('refs/heads')).map(({ target }) => target);
  const pushed = (await host.listRefs('refs/remotes')).map(({ target }) => target);
  for (const tip of new Set(commit === null ? branches : [commit, ...branches])) {
    let isPushed = pushed.includes(tip);
    for (const other of pushed) isPushed ||= await host.isAncestor(tip, other);
    if (!isPushed) return true;
  }
  return false;
}
