/** What an engine reports of one path that an apply would change. See `PathFacts` of git-ports, whose words these are. */
export interface TargetPath {
  readonly path: string;
  readonly before: object | null;
  readonly after: object | null;
  readonly index: 'before' | 'after' | 'other' | 'absent' | 'unmerged';
  readonly disk: 'before' | 'after' | 'other' | 'absent' | 'directory' | 'inaccessible';
  readonly occupants: readonly string[];
  readonly ignored: boolean;
  readonly unwatched: boolean;
  readonly blockedParent: { readonly path: string; readonly type: 'link' | 'file' } | null;
  readonly collidesWith: string | null;
}

/** Why a path of the original may not be overwritten. */
export type OverlapReason =
  | 'modified'
  | 'deleted'
  | 'staged'
  | 'unmerged'
  | 'untracked'
  | 'ignored'
  | 'directory'
  | 'linked-parent'
  | 'file-parent'
  | 'case-collision'
  | 'unreadable';

export interface Overlap {
  readonly path: string;
  readonly reason: OverlapReason;
  /** What is in the way, where that is another path. */
  readonly other: string | null;
}

const REASONS: Readonly<Record<OverlapReason, (overlap: Overlap) => string>> = {
  modified: () => 'has changes that are not committed',
  deleted: () => 'was deleted and the deletion is not committed',
  staged: () => 'has staged changes',
  unmerged: () => 'is in an unresolved conflict',
  untracked: () => 'is there and not tracked',
  ignored: () => 'is there and ignored by git',
  directory: ({ other }) => `is a directory that holds other files (${other})`,
  'linked-parent': ({ other }) => `lies below ${other}, which is a link`,
  'file-parent': ({ other }) => `lies below ${other}, which is a file`,
  'case-collision': ({ other }) => `would be the same file as ${other} on this file system`,
  unreadable: () => 'cannot be read',
};

/** One line for people: `src/a.ts has staged changes`. */
export function describeOverlap(overlap: Overlap): string {
  return `${overlap.path} ${REASONS[overlap.reason](overlap)}`;
}

/**
 * The paths whose present content an apply would destroy: empty when it may go ahead. This is the one place that
 * decides it, for every engine. A file that has the new content already is no overlap: nothing of it can be lost.
 */
export function findOverlaps(paths: readonly TargetPath[]): readonly Overlap[] {
  return paths.flatMap((path) => {
    const reason = overlapOf(path);
    return reason === null ? [] : [{ path: path.path, ...reason }];
  });
}

function overlapOf(path: TargetPath): Omit<Overlap, 'path'> | null {
  const because = (reason: OverlapReason, other: string | null = null): Omit<Overlap, 'path'> => ({
    reason,
    other,
  });
  if (path.index === 'unmerged') return because('unmerged');
  if (path.blockedParent !== null)
    return because(
      path.blockedParent.type === 'link' ? 'linked-parent' : 'file-parent',
      path.blockedParent.path,
    );
  if (path.collidesWith !== null) return because('case-collision', path.collidesWith);
  if (path.disk === 'inaccessible') return because('unreadable');
  if (path.disk === 'directory' && path.occupants.length > 0)
    return because('directory', path.occupants[0] ?? null);
  return path.before === null ? overlapOfNewPath(path, because) : overlapOfOldPath(path, because);
}

type Because = (reason: OverlapReason) => Omit<Overlap, 'path'>;

function overlapOfNewPath(path: TargetPath, because: Because): Omit<Overlap, 'path'> | null {
  if (path.index === 'other') return because('staged');
  if (path.index === 'after' && path.disk !== 'after')
    return because(path.disk === 'absent' ? 'deleted' : 'modified');
  if (path.disk === 'other') return because(path.ignored ? 'ignored' : 'untracked');
  return null;
}

function overlapOfOldPath(path: TargetPath, because: Because): Omit<Overlap, 'path'> | null {
  const gone = path.after === null;
  const hasNewContent = path.disk === 'after' || (gone && path.disk === 'absent');
  if (path.index === 'other' || (path.index === 'absent' && !gone)) return because('staged');
  if (hasNewContent) return null;
  if (path.index !== 'before') return because('modified');
  if (path.disk === 'before' || path.disk === 'directory') return null;
  return because(path.disk === 'absent' ? 'deleted' : 'modified');
}
