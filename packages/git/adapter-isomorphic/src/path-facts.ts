import type { LeafMode, TreeChange } from '@cleveragents/git-domain';
import type { PathFacts } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { CollisionFinder } from './collision-finder.ts';
import { type DiskLeaf, isSameLeaf, readDiskLeaf } from './disk-leaf.ts';
import type { GitConfig } from './git-config.ts';
import { IgnoreRules } from './ignore-rules.ts';
import type { IndexFacts } from './index-facts.ts';
import { holdsRepository } from './nested-repository.ts';
import type { Pace } from './pace.ts';
import { parentsOf, PinnedDirectory, splitPath, withPinned } from './pinned-directory.ts';
import { isDirectory, isLink, lstatIfThere } from './steady-file.ts';
import type { WorktreeLayout } from './worktree-scan.ts';

export interface FactsRequest {
  readonly layout: WorktreeLayout;
  readonly config: GitConfig;
  readonly index: IndexFacts;
  readonly changes: readonly TreeChange[];
  readonly pace: Pace;
  /** What a file's content is to the change. Default: by the bytes on the disk, which are those that git keeps. */
  readonly judge?: ((change: TreeChange, found: DiskLeaf) => 'before' | 'after' | 'other') | undefined;
}

const MOST_OCCUPANTS = 20;
const GITLINK = '160000';

/** The facts of each changed path, in the order of the changes. Reads only. */
export async function readPathFacts(request: FactsRequest): Promise<readonly PathFacts[]> {
  const { changes, pace } = request;
  const reader = new FactsReader(request);
  const facts: PathFacts[] = [];
  pace.begin('apply', changes.length);
  for (const change of changes) {
    if (pace.step()) await pace.breathe();
    facts.push(reader.read(change));
  }
  return facts;
}

function byLeaf({ before, after }: TreeChange, { leaf }: DiskLeaf): 'before' | 'after' | 'other' {
  if (isSameLeaf(leaf, before)) return 'before';
  return isSameLeaf(leaf, after) ? 'after' : 'other';
}

class FactsReader {
  readonly #layout: WorktreeLayout;
  readonly #index: IndexFacts;
  readonly #judge: NonNullable<FactsRequest['judge']>;
  readonly #trustsFileMode: boolean;
  readonly #rules: IgnoreRules;
  readonly #collisions: CollisionFinder | null;
  /** Paths that the update deletes or moves out of the way. */
  readonly #leaving: ReadonlySet<string>;

  constructor({ layout, config, index, changes, judge = byLeaf }: FactsRequest) {
    this.#judge = judge;
    this.#layout = layout;
    this.#index = index;
    this.#trustsFileMode = config.boolean('core.filemode', true);
    this.#rules = IgnoreRules.load(layout, config);
    this.#leaving = new Set(changes.filter(({ after }) => after === null).map(({ path }) => path));
    const folds = config.boolean('core.ignorecase', false);
    this.#collisions = folds ? new CollisionFinder(layout.workTree, index, changes) : null;
  }

  read({ path, before, after }: TreeChange): PathFacts {
    const blockedParent = this.#findBlockedParent(path);
    const { disk, occupants } =
      blockedParent === null
        ? this.#look({ path, before, after })
        : { disk: 'absent' as const, occupants: [] };
    return {
      path,
      before,
      after,
      index: this.#index.stateOf({ path, before, after }, this.#leaving),
      disk,
      occupants,
      ignored: this.#rules.isIgnored(path, false),
      unwatched: this.#index.isUnwatched(path),
      blockedParent,
      collidesWith: after === null ? null : (this.#collisions?.find(path) ?? null),
    };
  }

  #findBlockedParent(path: string): PathFacts['blockedParent'] {
    let found: PathFacts['blockedParent'] = null;
    const walk = (directory: PinnedDirectory, parents: readonly string[]): void => {
      const [parent, ...rest] = parents;
      if (parent === undefined) return;
      const { name } = splitPath(parent);
      const stat = lstatIfThere(directory.pathOf(name));
      if (stat === null) return;
      if (!isDirectory(stat)) {
        found = this.#leaving.has(parent) ? null : { path: parent, type: isLink(stat) ? 'link' : 'file' };
        return;
      }
      const child = directory.child(name);
      try {
        if (child !== null) walk(child, rest);
      } finally {
        child?.close();
      }
    };
    try {
      withPinned(this.#layout.workTree, '', (root) => walk(root, parentsOf(path)));
    } catch (error) {
      if (!hasCode(error, 'EACCES', 'EPERM')) throw error;
    }
    return found;
  }

  #look(change: TreeChange): Pick<PathFacts, 'disk' | 'occupants'> {
    const { directory, name } = splitPath(change.path);
    try {
      const seen = withPinned(this.#layout.workTree, directory, (pinned) =>
        this.#lookIn(pinned, name, change),
      );
      return seen ?? { disk: 'absent', occupants: [] };
    } catch (error) {
      if (!hasCode(error, 'EACCES', 'EPERM')) throw error;
      return { disk: 'inaccessible', occupants: [] };
    }
  }

  #lookIn(pinned: PinnedDirectory, name: string, change: TreeChange): Pick<PathFacts, 'disk' | 'occupants'> {
    const found = readDiskLeaf(pinned.pathOf(name), this.#expectedModes(change));
    if (found === 'absent') return { disk: 'absent', occupants: [] };
    if (found === 'directory') return this.#lookAtDirectory(pinned, name, change);
    if (found === 'moving' || found === 'too-large') return { disk: 'other', occupants: [] };
    if (found === 'special' || found === 'unreadable') return { disk: 'inaccessible', occupants: [] };
    return { disk: this.#judge(change, found), occupants: [] };
  }

  #expectedModes({ before, after }: TreeChange): readonly LeafMode[] | null {
    return this.#trustsFileMode
      ? null
      : [before, after].flatMap((leaf) => (leaf === null ? [] : [leaf.mode]));
  }

  /** A submodule's folder is what a gitlink looks like on the disk; its files are none of this repository's business. */
  #lookAtDirectory(
    parent: PinnedDirectory,
    name: string,
    { path, before, after }: TreeChange,
  ): Pick<PathFacts, 'disk' | 'occupants'> {
    if (before?.mode === GITLINK && (after === null || after.mode === GITLINK))
      return { disk: 'before', occupants: [] };
    const occupants: string[] = [];
    const pinned = parent.child(name);
    try {
      if (pinned !== null) this.#collectOccupants(pinned, path, occupants);
    } finally {
      pinned?.close();
    }
    if (occupants.length === 0 && before?.mode === GITLINK) return { disk: 'before', occupants };
    return { disk: occupants.length === 0 && after?.mode === GITLINK ? 'after' : 'directory', occupants };
  }

  #collectOccupants(directory: PinnedDirectory, path: string, occupants: string[]): void {
    if (holdsRepository(directory)) {
      occupants.push(`${path}/.git`);
      return;
    }
    for (const name of directory.names()) {
      if (occupants.length >= MOST_OCCUPANTS) return;
      const below = `${path}/${name}`;
      if (this.#leaving.has(below)) continue;
      const stat = lstatIfThere(directory.pathOf(name));
      const child = stat !== null && isDirectory(stat) ? directory.child(name) : null;
      if (child === null) {
        occupants.push(below);
        continue;
      }
      try {
        this.#collectOccupants(child, below, occupants);
      } finally {
        child.close();
      }
    }
  }
}
