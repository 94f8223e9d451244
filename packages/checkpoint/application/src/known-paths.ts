import { CheckpointError, type RestoreFacts, unmentionedPaths } from '@cleveragents/checkpoint-domain';
import type { SnapshotStore } from '@cleveragents/checkpoint-ports';
import type { RelativePath } from '@cleveragents/shared-kernel';

/**
 * @param facts of two snapshots, `presentRef` the first of them.
 * @throws CheckpointError `ROLLBACK_PATH_UNKNOWN` that names those of `paths` that are in neither.
 */
export async function requireKnownPaths(
  paths: readonly RelativePath[],
  facts: RestoreFacts,
  { snapshots, presentRef }: { readonly snapshots: SnapshotStore; readonly presentRef: string },
): Promise<void> {
  const unmentioned = unmentionedPaths(paths, facts);
  const held = await snapshots.sha256(presentRef, unmentioned);
  const doubtful = unmentioned.filter((path) => held.get(path) == null);
  if (doubtful.length === 0) return;
  // Directories have no content to ask for: only a look at the whole snapshot tells.
  const everything = new Set((await snapshots.diff(null, presentRef)).map(({ path }) => path));
  const unknown = doubtful.filter((path) => !everything.has(path));
  if (unknown.length === 0) return;
  const names = unknown.map((path) => JSON.stringify(path)).join(', ');
  throw new CheckpointError(
    'ROLLBACK_PATH_UNKNOWN',
    `neither the checkpoint nor the sandbox has ${names}; nothing was changed`,
    {
      hint: 'Paths count from the top of the sandbox; a diff with the checkpoint lists what differs.',
      data: { paths: unknown },
    },
  );
}
