import { join } from 'node:path';
import {
  type IndexEntry,
  type IndexPatch,
  type IndexStat,
  type Leaf,
  type ObjectId,
  patchIndex,
  UNKNOWN_STAT,
} from '@cleveragents/git-domain';
import type { PathFacts } from '@cleveragents/git-ports';
import { type JournalEntry, writeFileAtomically } from '@cleveragents/shared-adapter-fs';
import { ExchangeRun } from './exchange-run.ts';
import { type ExchangePlan, planExchange } from './exchange-plan.ts';
import { fileSystemError } from './file-access.ts';
import { targetChanged } from './file-exchange.ts';
import { type LoadedIndex, sha1, smudgeRacyEntries } from './index-file.ts';
import { completeIfPossible, undoingFailed } from './operation-journal.ts';
import type { Pace } from './pace.ts';
import type { PreparedRefUpdate } from './ref-store.ts';
import type { Repository } from './repository.ts';
import { makeStagingFolder, removeStagingFolder, stagingFolderFor } from './staging-folder.ts';
import { UndoableIndex } from './undoable-index.ts';
import type { WorktreeLayout } from './worktree-scan.ts';

/** What the journal keeps of a branch that moves together with a work tree. */
export interface BranchMovePlan {
  readonly layout: WorktreeLayout;
  readonly branch: string;
  readonly from: ObjectId;
  readonly to: ObjectId;
  readonly message: string;
  readonly trustsFileMode: boolean;
}

/** How one path changes in the index. */
export interface IndexChange {
  readonly path: string;
  readonly before: Leaf | null;
  readonly after: Leaf | null;
}

export type BranchMoveStep =
  /** From here on files may have been exchanged. */
  | { readonly step: 'files'; readonly exchange: ExchangePlan; readonly entries: readonly IndexChange[] }
  /** All files are exchanged. From here on the index may be the new one. */
  | { readonly step: 'index' };

export interface BranchMoveRun {
  readonly index: LoadedIndex;
  readonly facts: readonly PathFacts[];
  /** Its lock and those on index and HEAD are held all the while. */
  readonly prepared: PreparedRefUpdate;
  readonly pace: Pace;
}

export function indexPatchOf(
  entries: readonly IndexChange[],
  stats: ReadonlyMap<string, IndexStat>,
): Required<Pick<IndexPatch, 'set' | 'remove'>> {
  const set = entries.flatMap(({ path, after }): IndexEntry[] =>
    after === null ? [] : [{ path, ...after, stat: stats.get(path) ?? UNKNOWN_STAT }],
  );
  return { set, remove: entries.flatMap(({ path, after }) => (after === null ? [path] : [])) };
}

/** Moves a branch, and the files and the index that go with it: files first, then the index, then the ref. */
export class BranchMove {
  readonly #repository: Repository;
  readonly #entry: JournalEntry;
  readonly #plan: BranchMovePlan;
  readonly #staging: string;

  constructor(repository: Repository, entry: JournalEntry) {
    this.#repository = repository;
    this.#entry = entry;
    this.#plan = entry.payload as BranchMovePlan;
    this.#staging = stagingFolderFor(this.#plan.layout, entry.id);
  }

  async run({ index, facts, prepared, pace }: BranchMoveRun): Promise<void> {
    const { layout } = this.#plan;
    const exchange = planExchange(layout.workTree, facts);
    const entries = facts.map(({ path, before, after }) => ({ path, before, after }));
    const files = this.exchangeRun(exchange);
    const undoable = new UndoableIndex(layout.gitDirectory, this.#entry.folder);
    try {
      makeStagingFolder(this.#staging);
      await files.prepare(this.#repository.objects, pace);
      await this.#record({ step: 'files', exchange, entries });
      files.exchange();
      await this.#moveIndex(index, files, entries, undoable);
      await prepared.commit();
    } catch (error) {
      if (!(await this.#isMoved())) {
        await this.#undo(files, undoable, error);
        throw fileSystemError('cannot exchange files', error);
      }
    }
    await this.#tidy(files);
  }

  async #moveIndex(
    index: LoadedIndex,
    files: ExchangeRun,
    entries: readonly IndexChange[],
    undoable: UndoableIndex,
  ): Promise<void> {
    const stats = files.settle();
    smudgeRacyEntries(index);
    undoable.prepare(patchIndex(index.view, indexPatchOf(entries, stats), sha1));
    const late = files.findLateWrites();
    if (late.length > 0) throw targetChanged(late);
    await this.#record({ step: 'index' });
    await undoable.replace();
  }

  /** As `git merge` and `git reset` do. */
  async #writeOriginalHead(): Promise<void> {
    const path = join(this.#plan.layout.gitDirectory, 'ORIG_HEAD');
    await writeFileAtomically(path, `${this.#plan.from}\n`, { durable: false });
  }

  /** The error may have come after the ref had moved. */
  async #isMoved(): Promise<boolean> {
    const { branch, from, to } = this.#plan;
    return from !== to && (await this.#repository.refs.read(branch)) === to;
  }

  async #undo(files: ExchangeRun, index: UndoableIndex, cause: unknown): Promise<void> {
    try {
      await index.restore();
      files.revert();
      await removeStagingFolder(this.#staging);
    } catch (error) {
      throw undoingFailed(cause, error);
    }
    await completeIfPossible(this.#entry);
  }

  /** The branch has moved: what fails now is left to recovery, for the update itself did not fail. */
  async #tidy(files: ExchangeRun): Promise<void> {
    try {
      await this.finish(files);
    } catch (error) {
      if (fileSystemError('', error) === error) throw error;
    }
  }

  /** Does what is left to do once the branch has moved. */
  async finish(files: ExchangeRun): Promise<void> {
    files.finish();
    await this.#writeOriginalHead();
    await removeStagingFolder(this.#staging);
    await this.#entry.complete();
  }

  exchangeRun(exchange: ExchangePlan): ExchangeRun {
    const { layout, trustsFileMode } = this.#plan;
    return new ExchangeRun({
      workTree: layout.workTree,
      staging: this.#staging,
      trustsFileMode,
      plan: exchange,
    });
  }

  async #record(step: BranchMoveStep): Promise<void> {
    await this.#entry.record(step);
  }
}
