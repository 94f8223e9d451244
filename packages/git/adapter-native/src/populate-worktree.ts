import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import { type NativeRepository, placeOf } from './native-repository.ts';
import {
  type Deadline,
  type FillWorktree,
  gitPath,
  lstatIfThere,
  type WorktreeLayout,
} from './shared-parts.ts';

/** Settings of one work tree that say which files are in it. */
const SPARSE_SETTINGS = ['core.sparsecheckout', 'core.sparsecheckoutcone', 'index.sparse'];
const SPARSE_PATTERNS = 'info/sparse-checkout';

/** Fills new worktrees as `git worktree add` does: through filters, and sparse where the original is. */
export function fillWith(repository: NativeRepository, commit: ObjectId): FillWorktree {
  return async (layout, { deadline }) => {
    await copySparseness(repository, layout, deadline);
    await repository.git.run({
      place: placeOf(layout),
      args: ['read-tree', '-m', '-u', '--no-recurse-submodules', commit],
      deadline,
    });
  };
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
