import type { Leaf, LeafMode, TreeChange } from '@cleveragents/git-domain';
import type { Git } from './git.ts';
import { type IndexSetting, listDiffering, refresh, setEntries } from './index-info.ts';
import { withPrivateIndex } from './private-index.ts';
import {
  type Deadline,
  type DiskLeaf,
  type GitConfig,
  isSameLeaf,
  readDiskLeaf,
  splitPath,
  withPinned,
  type WorktreeLayout,
} from './shared-parts.ts';

export interface JudgeRequest {
  readonly changes: readonly TreeChange[];
  /** The index's entries of attribute files, for those that do not lie on the disk. */
  readonly attributeFiles: readonly IndexSetting[];
  readonly config: GitConfig;
  readonly deadline: Deadline;
}

type Verdict = 'before' | 'after' | 'other';
type Side = 'before' | 'after';

/**
 * Knows which files are what a tree has, as git sees them through its filters, and by which bytes they are that: a file
 * of other bytes is another file, whoever changed it since.
 */
export class DiskJudge {
  readonly #seen: ReadonlyMap<string, Leaf>;
  readonly #verdicts: ReadonlyMap<string, Verdict>;

  private constructor(seen: ReadonlyMap<string, Leaf>, verdicts: ReadonlyMap<string, Verdict>) {
    this.#seen = seen;
    this.#verdicts = verdicts;
  }

  static async ask(git: Git, layout: WorktreeLayout, request: JudgeRequest): Promise<DiskJudge> {
    const { changes } = request;
    const seen = readLeaves(layout, request);
    const verdicts = new Map<string, Verdict>();
    for (const side of ['before', 'after'] as const) {
      const asked = changes.filter(
        (change) => seen.has(change.path) && !verdicts.has(change.path) && change[side] !== null,
      );
      for (const path of await findSame(git, layout, { asked, side, request })) verdicts.set(path, side);
    }
    return new DiskJudge(seen, verdicts);
  }

  judge({ path }: TreeChange, { leaf }: DiskLeaf): Verdict {
    return isSameLeaf(this.#seen.get(path) ?? null, leaf) ? (this.#verdicts.get(path) ?? 'other') : 'other';
  }

  /** Names the bytes of the file that was judged; null: there was none. */
  leafAt(path: string): Leaf | null {
    return this.#seen.get(path) ?? null;
  }
}

function readLeaves(layout: WorktreeLayout, { changes, config }: JudgeRequest): ReadonlyMap<string, Leaf> {
  const trustsFileMode = config.boolean('core.filemode', true);
  const seen = new Map<string, Leaf>();
  for (const { path, before, after } of changes) {
    const modes: readonly LeafMode[] = [before, after].flatMap((leaf) => (leaf === null ? [] : [leaf.mode]));
    const { directory, name } = splitPath(path);
    const found = withPinned(layout.workTree, directory, (pinned) =>
      readDiskLeaf(pinned.pathOf(name), trustsFileMode ? null : modes),
    );
    if (found !== null && typeof found !== 'string') seen.set(path, found.leaf);
  }
  return seen;
}

/** In an index that has the wanted leaves and nothing else to look at, git finds unchanged what is the same. */
async function findSame(
  git: Git,
  layout: WorktreeLayout,
  {
    asked,
    side,
    request: { attributeFiles, deadline },
  }: { readonly asked: readonly TreeChange[]; readonly side: Side; readonly request: JudgeRequest },
): Promise<readonly string[]> {
  if (asked.length === 0) return [];
  return await withPrivateIndex(git, layout, { from: 'nothing', deadline }, async (index) => {
    await setEntries(index, [
      ...attributeFiles,
      ...asked.map((change) => ({ path: change.path, leaf: change[side] })),
    ]);
    await refresh(index);
    const differing = new Set(await listDiffering(index));
    const gitlinks = asked.filter((change) => change[side]?.mode === '160000').map(({ path }) => path);
    return asked.map(({ path }) => path).filter((path) => !differing.has(path) && !gitlinks.includes(path));
  });
}
