import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FileChangeSetStore } from '@cleveragents/file-tools-adapter-fs';
import { ChangeSetCapture, type ChangeSetJson } from '@cleveragents/file-tools-application';
import type { TreeChange, UnattributedChange } from '@cleveragents/file-tools-domain';
import type { SandboxChanges } from '@cleveragents/sandbox-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import type { Workbench } from '../composition-root.ts';
import { CHANGE_SETS_FOLDER } from '../project.ts';

/** What the tools did in a plan's sandbox, and what of its changes they do not explain. */
export interface PlanChangeSet {
  readonly changeSet: ChangeSetJson;
  readonly unattributed: readonly UnattributedChange[];
}

/** Null for a plan in which no tool was called: then everything is the work of commands, and said elsewhere. */
export async function readPlanChangeSet(
  { project, plans }: Workbench,
  planId: string,
  changes: SandboxChanges | null,
): Promise<PlanChangeSet | null> {
  const store = new FileChangeSetStore(join(project.dataFolder, CHANGE_SETS_FOLDER));
  const capture = await ChangeSetCapture.resume({ planId, store });
  if (capture.entries.length === 0) return null;
  const root = await plans.sandboxPath(planId);
  const tree = root === null || changes === null ? [] : await treeChanges(root, changes);
  return { changeSet: capture.toJSON(), unattributed: root === null ? [] : capture.unattributed(tree) };
}

async function treeChanges(root: string, { files }: SandboxChanges): Promise<readonly TreeChange[]> {
  const paths = files.flatMap(({ path, renamedFrom }) =>
    renamedFrom === null ? [path] : [renamedFrom, path],
  );
  return Promise.all(paths.map(async (path) => ({ path, hash: await hashOf(join(root, path)) })));
}

/** SHA-256 of what lies at the path now, link targets included; null where nothing does. */
async function hashOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    const stats = await lstat(path);
    if (stats.isSymbolicLink())
      return hash.update(await readlink(path, { encoding: 'buffer' })).digest('hex');
    if (!stats.isFile()) return null;
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}
