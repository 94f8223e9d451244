import { join } from 'node:path';
import { diffTrees, type LeafMode, type ObjectId, type TreeChange } from '@cleveragents/git-domain';
import type { PathFacts } from '@cleveragents/git-ports';
import { checkOutBeside } from './checked-out-files.ts';
import { DiskJudge } from './disk-judge.ts';
import { refreshFiles, setEntries } from './index-info.ts';
import { NativeIndexFacts } from './native-index-facts.ts';
import type { NativeRepository } from './native-repository.ts';
import { nulTerminated } from './nul-records.ts';
import { withPrivateIndex } from './private-index.ts';
import {
  type BranchSurvey,
  Deadline,
  GitConfig,
  type IndexChange,
  isSameLeaf,
  type Pace,
  readPathFacts,
  type StagedFiles,
  type SurveyWorkTree,
  type WorktreeLayout,
} from './shared-parts.ts';

const GITLINK = '160000';

/** Looks through git's eyes: what a filter makes of a file counts, not its bytes. */
export function surveyOf(repository: NativeRepository): SurveyWorkTree {
  return async (layout, { from, to }, pace) => {
    const { objects, environment, git } = repository;
    const target = (await objects.readCommit(to)).tree;
    const changes = await diffTrees(objects, (await objects.readCommit(from)).tree, target);
    const config = await GitConfig.load(layout, environment);
    const { deadline } = pace;
    const index = await withPrivateIndex(git, layout, { from: 'index', deadline }, (copy) =>
      NativeIndexFacts.read(copy, changes),
    );
    const attributeFiles = index.attributeFiles();
    const judge = await DiskJudge.ask(git, layout, { changes, attributeFiles, config, deadline });
    const found = await readPathFacts({
      layout,
      config,
      index,
      changes,
      pace,
      judge: (change, found) => judge.judge(change, found),
    });
    const outside = new Set(
      found
        .filter((fact) => fact.disk === 'absent' && fact.index === 'before' && index.skipsWorktree(fact.path))
        .map(({ path }) => path),
    );
    const facts = found.map((fact): PathFacts =>
      outside.has(fact.path) ? { ...fact, disk: 'before' } : fact,
    );
    return new NativeSurvey(repository, { layout, target, judge, facts, outside });
  };
}

interface Findings {
  readonly layout: WorktreeLayout;
  readonly target: ObjectId;
  readonly judge: DiskJudge;
  readonly facts: readonly PathFacts[];
  /** Paths that a sparse checkout leaves out. */
  readonly outside: ReadonlySet<string>;
}

class NativeSurvey implements BranchSurvey {
  readonly facts: readonly PathFacts[];
  readonly #repository: NativeRepository;
  readonly #found: Findings;

  constructor(repository: NativeRepository, found: Findings) {
    this.#repository = repository;
    this.#found = found;
    this.facts = found.facts;
  }

  /** What a sparse checkout leaves out stays out: only the index changes there. */
  async stage(folder: string, { deadline }: Pace): Promise<StagedFiles> {
    const { layout, target, judge, outside } = this.#found;
    const facts = this.facts.filter(({ path }) => !outside.has(path));
    const paths = new Map(
      facts.flatMap(({ path, after, disk }): readonly (readonly [string, LeafMode])[] =>
        after === null || after.mode === GITLINK || disk === 'after' ? [] : [[path, after.mode]],
      ),
    );
    const files = await checkOutBeside(this.#repository, {
      layout,
      tree: target,
      paths,
      folder: join(folder, 'checkout'),
      deadline,
    });
    const sources = new Map<ObjectId, string>();
    const staged = facts.map((fact): PathFacts => {
      const before = judge.leafAt(fact.path) ?? fact.before;
      if (!paths.has(fact.path)) return { ...fact, before: fact.before === null ? null : before };
      const after = files.leafOf(fact.path);
      sources.set(after.id, fact.path);
      return { ...fact, before: fact.before === null ? null : before, after };
    });
    return { facts: staged, readBlobSync: (id) => files.read(sources.get(id) ?? '') };
  }

  async nextIndex(): Promise<Uint8Array> {
    const { layout, outside } = this.#found;
    const kept = this.facts.filter(({ path, after }) => outside.has(path) && after !== null);
    return await withChanges(this.#repository, layout, {
      entries: this.facts,
      outside: kept.map(({ path }) => path),
    });
  }
}

/** Git writes the index in the form that the repository has. */
async function withChanges(
  { git, timeoutMs }: NativeRepository,
  layout: WorktreeLayout,
  {
    entries,
    outside = [],
  }: { readonly entries: readonly IndexChange[]; readonly outside?: readonly string[] },
): Promise<Uint8Array> {
  const deadline = new Deadline({ timeoutMs });
  return await withPrivateIndex(git, layout, { from: 'index', deadline }, async (index) => {
    const gone = entries.filter(({ after }) => after === null);
    const come = entries.filter(({ after }) => after !== null);
    await setEntries(
      index,
      [...gone, ...come].map(({ path, after }) => ({ path, leaf: after })),
    );
    if (outside.length > 0)
      await index.run(['update-index', '-z', '--skip-worktree', '--stdin'], {
        input: nulTerminated(outside),
      });
    const paths = come.map(({ path }) => path);
    await refreshFiles(
      index,
      paths.filter((path) => !outside.includes(path)),
    );
    return index.bytes();
  });
}

/** See `EngineRecovery`. */
export async function advanceIndex(
  repository: NativeRepository,
  layout: WorktreeLayout,
  entries: readonly IndexChange[],
): Promise<Uint8Array | null> {
  const { git, timeoutMs } = repository;
  const deadline = new Deadline({ timeoutMs });
  const changes = entries.map(({ path, before, after }): TreeChange => ({ path, before, after }));
  const facts = await withPrivateIndex(git, layout, { from: 'index', deadline }, (index) =>
    NativeIndexFacts.read(index, changes),
  );
  const missing = changes.filter(({ path, before, after }) => {
    const leaf = facts.leafAt(path);
    return isSameLeaf(leaf, before) && !isSameLeaf(leaf, after);
  });
  if (missing.length === 0) return null;
  const outside = missing.filter(({ path, after }) => after !== null && facts.skipsWorktree(path));
  return await withChanges(repository, layout, {
    entries: missing,
    outside: outside.map(({ path }) => path),
  });
}
