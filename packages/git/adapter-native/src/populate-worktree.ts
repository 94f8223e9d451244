import { createHash } from 'node:crypto';
import { copyFileSync, lstatSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  GitFormatError,
  indexStatOf,
  type IndexView,
  type ObjectId,
  patchIndex,
  readIndex,
} from '@cleveragents/git-domain';
import { writeFileAtomically } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import { type NativeRepository, placeOf } from './native-repository.ts';
import {
  type Deadline,
  type FillWorktree,
  gitPath,
  lstatIfThere,
  type Pace,
  type WorktreeLayout,
} from './shared-parts.ts';

/** Settings of one work tree that say which files are in it. */
const SPARSE_SETTINGS = ['core.sparsecheckout', 'core.sparsecheckoutcone', 'index.sparse'];
/** How old files are made to look. */
const SETTLED_SECONDS = 2;
/** Of the ids in an index that we can read ourselves. */
const SHA1_DIGITS = 40;
const SPARSE_PATTERNS = 'info/sparse-checkout';

/** Fills new worktrees as `git worktree add` does: through filters, and sparse where the original is. */
export function fillWith(repository: NativeRepository, commit: ObjectId): FillWorktree {
  return async (layout, pace) => {
    const { deadline } = pace;
    await copySparseness(repository, layout, deadline);
    await repository.git.run({
      place: placeOf(layout),
      args: ['read-tree', '-m', '-u', '--no-recurse-submodules', commit],
      deadline,
    });
    if (commit.length === SHA1_DIGITS) await settle(layout, pace);
  };
}

/**
 * Makes every file look older than the index, so that git is sure of it without reading it again, at each look. Nobody
 * else knows of the worktree yet. An index in a form that only git reads stays as it is: that costs time, nothing else.
 */
async function settle({ workTree, gitDirectory }: WorktreeLayout, pace: Pace): Promise<void> {
  const path = join(gitDirectory, 'index');
  const view = readIndexIfKnown(path);
  if (view === null) return;
  const seconds = Math.floor(Date.now() / 1000) - SETTLED_SECONDS;
  for (let entry = 0; entry < view.entryCount; entry++) {
    if (pace.step()) await pace.breathe();
    if (view.skipsWorktree(entry) || !view.mode(entry).startsWith('100')) continue;
    const address = `${workTree}/${view.path(entry)}`;
    const { ino, size } = view.stat(entry);
    utimesSync(address, seconds, seconds);
    const stat = indexStatOf(lstatSync(address, { bigint: true }));
    if (stat.ino === ino && stat.size === size) view.setStat(entry, stat);
  }
  await writeFileAtomically(path, patchIndex(view, { keepExtensions: ['TREE'] }, sha1), { durable: false });
}

function readIndexIfKnown(path: string): IndexView | null {
  try {
    return readIndex(readFileSync(path));
  } catch (error) {
    if (error instanceof GitFormatError || hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function sha1(parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

async function copySparseness(
  { layout: original, config, git }: NativeRepository,
  layout: WorktreeLayout,
  deadline: Deadline,
): Promise<void> {
  if (!config.boolean('core.sparsecheckout', false)) return;
  const patterns = gitPath(original, SPARSE_PATTERNS);
  if (lstatIfThere(patterns) === null) return;
  const target = gitPath(layout, SPARSE_PATTERNS);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(patterns, target);
  if (!config.boolean('extensions.worktreeconfig', false)) return;
  const file = join(layout.gitDirectory, 'config.worktree');
  for (const name of SPARSE_SETTINGS) {
    const value = config.get(name);
    if (value === undefined || value === null) continue;
    await git.run({ place: placeOf(layout), args: ['config', '-f', file, name, value], deadline });
  }
}
