import assert from 'node:assert/strict';
import { planRestore, type RestorePlan } from '@cleveragents/checkpoint-domain';
import { parseRelativePath, type RelativePath } from '@cleveragents/shared-kernel';
import type { SnapshotStore } from '../snapshot-store.ts';

/** A directory that a store can see and a case can change. Paths are relative to `root`; parents are made as needed. */
export interface SnapshotWorkspace {
  readonly root: string;
  /** Replaces whatever lies there. Default mode 644. */
  write(path: string, content: string, mode?: number): Promise<void>;
  makeDirectory(path: string, mode?: number): Promise<void>;
  makeLink(path: string, target: string): Promise<void>;
  /** With everything below. */
  remove(path: string): Promise<void>;
  changeMode(path: string, mode: number): Promise<void>;
  /** From now on exactly these paths are ignored. Changes nothing that a snapshot holds. */
  ignore(paths: readonly string[]): Promise<void>;
  /** Everything below `root`: path -> `file 644 content`, `link target` or `directory 755`. */
  describe(): Promise<Readonly<Record<string, string>>>;
}

export interface SnapshotStoreSubject {
  readonly store: SnapshotStore;
  /** Empty at first. */
  readonly workspace: SnapshotWorkspace;
}

export const asPath = (raw: string): RelativePath => parseRelativePath(raw);

export const namesOf = (entries: readonly { readonly path: string }[]): string[] =>
  entries.map(({ path }) => path);

/** What a rollback from the state of `safety` to that of `target` would do. */
export async function planBetween(
  store: SnapshotStore,
  safety: string,
  target: string,
): Promise<RestorePlan> {
  return planRestore({
    differences: await store.diff(safety, target),
    uncoveredNow: await store.uncovered(safety),
    uncoveredThen: await store.uncovered(target),
  });
}

/** Rolls the workspace back to `target`; returns what was planned. */
export async function rollBack(
  { store, workspace }: SnapshotStoreSubject,
  target: string,
): Promise<RestorePlan> {
  const safety = await store.capture(workspace.root, { alsoCover: [target] });
  const plan = await planBetween(store, safety.ref, target);
  await store.restore(workspace.root, plan);
  return plan;
}

/** The whole tree is described, so that a path too many fails as well as one too few. */
export async function assertHolds(
  workspace: SnapshotWorkspace,
  expected: Readonly<Record<string, string>>,
): Promise<void> {
  assert.deepEqual(await workspace.describe(), expected);
}
