import { chmodSync, lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import type { PathFacts } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { type FileStep, targetChanged } from './file-exchange.ts';
import { parentsOf, type PinnedDirectory, splitPath, withPinned } from './pinned-directory.ts';
import { isDirectory, lstatIfThere } from './steady-file.ts';

/** A directory, and the permissions to give it when it has to be made again. */
export interface ClearedDirectory {
  readonly path: string;
  readonly mode: number;
}

/** All that an update does to the directories and files of a work tree; plain data, for the journal. */
export interface ExchangePlan {
  readonly steps: readonly FileStep[];
  /** Directories, empty by then, that stand where a file is to come; the deepest first. */
  readonly clears: readonly ClearedDirectory[];
  /** Directories that are not there yet; the outermost first. */
  readonly makes: readonly string[];
  /** Paths that go: the directories that they leave empty go too, in the end. */
  readonly goes: readonly string[];
}

const GITLINK = '160000';

export function planExchange(workTree: string, facts: readonly PathFacts[]): ExchangePlan {
  const steps: FileStep[] = [];
  const clears: ClearedDirectory[] = [];
  const makes = new Set<string>();
  for (const { path, before, after, disk } of facts) {
    const isFileNow = disk === 'before' && before?.mode !== GITLINK;
    const take = isFileNow ? before : null;
    const put = after === null || after.mode === GITLINK || disk === 'after' ? null : after;
    if (take !== null || put !== null) steps.push({ number: steps.length, path, take, put });
    const isFolderNow = disk === 'directory' || (disk === 'before' && before?.mode === GITLINK);
    if (put !== null && isFolderNow) clears.push(...directoriesAt(workTree, path));
    const isNewGitlink = after?.mode === GITLINK && disk !== 'after' && !isFolderNow;
    const needed = put !== null ? parentsOf(path) : isNewGitlink ? [...parentsOf(path), path] : [];
    for (const directory of needed) if (!isFolderThere(workTree, directory)) makes.add(directory);
  }
  const goes = facts.filter(({ after }) => after === null).map(({ path }) => path);
  return { steps, clears, makes: [...makes], goes };
}

function isFolderThere(workTree: string, path: string): boolean {
  return withPinned(workTree, path, () => true) ?? false;
}

function directoriesAt(workTree: string, path: string): readonly ClearedDirectory[] {
  const found: ClearedDirectory[] = [];
  const collect = (directory: PinnedDirectory, below: string): void => {
    for (const name of directory.names()) {
      const child = directory.child(name);
      if (child === null) continue;
      collect(child, `${below}/${name}`);
      child.close();
      found.push({ path: `${below}/${name}`, mode: lstatSync(directory.pathOf(name)).mode & 0o7777 });
    }
  };
  withPinned(workTree, path, (directory) => collect(directory, path));
  const { directory, name } = splitPath(path);
  const mode = withPinned(workTree, directory, (parent) => lstatSync(parent.pathOf(name)).mode & 0o7777);
  return mode === null ? found : [...found, { path, mode }];
}

/** @throws GitError `GIT_TARGET_CHANGED` when one of them is not empty, or gone. */
export function clearDirectories(workTree: string, { clears }: ExchangePlan): void {
  for (const { path } of clears) if (!removeIfEmpty(workTree, path)) throw targetChanged([path]);
}

export function makeClearedDirectories(workTree: string, { clears }: ExchangePlan): void {
  for (const { path, mode } of [...clears].reverse())
    if (makeDirectory(workTree, path)) atPath(workTree, path, (address) => chmodSync(address, mode));
}

/** @throws GitError `GIT_TARGET_CHANGED` when something lies in the way. */
export function makeDirectories(workTree: string, { makes }: ExchangePlan): void {
  for (const path of makes)
    if (!makeDirectory(workTree, path) && !isFolderThere(workTree, path)) throw targetChanged([path]);
}

export function removeMadeDirectories(workTree: string, { makes }: ExchangePlan): void {
  for (const path of [...makes].reverse()) removeIfEmpty(workTree, path);
}

/** As git does: a directory that a deletion left empty goes with it. */
export function removeEmptiedDirectories(workTree: string, { goes }: ExchangePlan): void {
  for (const path of goes) {
    const candidates = isFolderThere(workTree, path) ? [path] : [];
    for (const directory of [...candidates, ...[...parentsOf(path)].reverse()])
      if (!removeIfEmpty(workTree, directory) && isFolderThere(workTree, directory)) break;
  }
}

function makeDirectory(workTree: string, path: string): boolean {
  try {
    return atPath(workTree, path, (address) => (mkdirSync(address), true)) ?? false;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** False when it is not empty, or no directory. */
function removeIfEmpty(workTree: string, path: string): boolean {
  try {
    return (
      atPath(workTree, path, (address) => {
        const stat = lstatIfThere(address);
        if (stat === null || !isDirectory(stat)) return false;
        rmdirSync(address);
        return true;
      }) ?? false
    );
  } catch (error) {
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT', 'EBUSY')) return false;
    throw error;
  }
}

function atPath<Result>(workTree: string, path: string, work: (address: string) => Result): Result | null {
  const { directory, name } = splitPath(path);
  return withPinned(workTree, directory, (pinned) => work(pinned.pathOf(name)));
}
