import { join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import { type JournalEntry, writeFileAtomically } from '@cleveragents/shared-adapter-fs';
import type { BranchSurvey, IndexChange } from './branch-survey.ts';
import { ExchangeRun } from './exchange-run.ts';
import { type ExchangePlan, planExchange } from './exchange-plan.ts';
import { fileSystemError } from './file-access.ts';
import { targetChanged } from './file-exchange.ts';
import { completeIfPossible, undoingFailed } from './operation-journal.ts';
import type { Pace } from './pace.ts';
import type { PreparedRefUpdate } from './ref-store.ts';
import type { RepositoryCore } from './repository.ts';
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

export type BranchMoveStep =
  /** From here on files may have been exchanged. */
  | { readonly step: 'files'; readonly exchange: ExchangePlan; readonly entries: readonly IndexChange[] }
  /** All files are exchanged. From here on the index may be the new one. */
  | { readonly step: 'index' };

export interface BranchMoveRun {
  readonly survey: BranchSurvey;
  /** Its lock and those on index and HEAD are held all the while. */
  readonly prepared: PreparedRefUpdate;
  readonly pace: Pace;
}

/** Moves a branch, and the files and the index that go with it: files first, then the index, then the ref. */
export class BranchMove {
  readonly #repository: RepositoryCore;
  readonly #entry: JournalEntry;
  readonly #plan: BranchMovePlan;
  readonly #staging: string;

  constructor(repository: RepositoryCore, entry: JournalEntry) {
    this.#repository = repository;
    this.#entry = entry;
    this.#plan = entry.payload as BranchMovePlan;
    this.#staging = stagingFolderFor(this.#plan.layout, entry.id);
  }

  async run({ survey, prepared, pace }: BranchMoveRun): Promise<void> {
    const { layout } = this.#plan;
    const entries = survey.facts.map(({ path, before, after }) => ({ path, before, after }));
    const undoable = new UndoableIndex(layout.gitDirectory, this.#entry.folder);
    let files: ExchangeRun | null = null;
    try {
      makeStagingFolder(this.#staging);
      const staged = await survey.stage(this.#staging, pace);
      const exchange = planExchange(layout.workTree, staged.facts);
      files = this.exchangeRun(exchange);
      await files.prepare(staged, pace);
      await this.#record({ step: 'files', exchange, entries });
      files.exchange();
      await this.#moveIndex(survey, files, undoable);
      await prepared.commit();
    } catch (error) {
      if (files === null || !(await this.#isMoved())) {
        await this.#undo(files, undoable, error);
        throw fileSystemError('cannot exchange files', error);
      }
    }
    await this.#tidy(files);
  }

  async #moveIndex(survey: BranchSurvey, files: ExchangeRun, undoable: UndoableIndex): Promise<void> {
    const stats = files.settle();
    undoable.prepare(await survey.nextIndex(this.#staging, stats));
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

  async #undo(files: ExchangeRun | null, index: UndoableIndex, cause: unknown): Promise<void> {
    try {
      await index.restore();
      files?.revert();
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
