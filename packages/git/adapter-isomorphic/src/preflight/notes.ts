import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { UnsupportedFeature } from '@cleveragents/git-ports';
import { namesIn, statIfThere } from '../file-access.ts';
import type { GitConfig } from '../git-config.ts';
import { gitPath, type RepositoryLayout } from '../repository-layout.ts';
import { examples, finding } from './finding.ts';

/** Hooks that git would have run for what we do: worktrees, commits, merges, refs. */
const HOOKS = new Set([
  'commit-msg',
  'post-checkout',
  'post-commit',
  'post-index-change',
  'post-merge',
  'pre-commit',
  'pre-merge-commit',
  'prepare-commit-msg',
  'reference-transaction',
]);

/** What works, but not as some would expect. */
export function takeNotes(
  layout: RepositoryLayout,
  config: GitConfig,
  submodules: readonly string[],
): readonly UnsupportedFeature[] {
  const notes: UnsupportedFeature[] = [];
  const hooks = hooksOf(layout, config);
  if (hooks.length > 0)
    notes.push(
      finding('hooks', `these do not run: ${examples(hooks, 9)}`, 'Run what they check before you apply.'),
    );
  if (submodules.length > 0)
    notes.push(
      finding(
        'submodules',
        `${submodules.length === 1 ? '1 submodule stays as it is' : `${submodules.length} submodules stay as they are`}, and empty in a sandbox: ${examples(submodules)}`,
        'Run `git submodule update --init` in the sandbox where it is needed.',
      ),
    );
  if (statIfThere(gitPath(layout, 'shallow')) !== null)
    notes.push(
      finding(
        'shallow',
        'history is cut off: older commits are not here',
        '`git fetch --unshallow` gets them.',
      ),
    );
  if (config.boolean('core.ignorecase', false))
    notes.push(
      finding(
        'ignorecase',
        'file names that differ in case only are one file here',
        'Do not use such names together.',
      ),
    );
  if (config.names.some((name) => name.startsWith('includeif.')))
    notes.push(
      finding(
        'include-if',
        'some settings depend on the folder',
        'Those of the original count, not of the sandbox’s path.',
      ),
    );
  const encoding = config.get('i18n.commitencoding');
  if (encoding && !/^utf-?8$/i.test(encoding))
    notes.push(
      finding(
        'commit-encoding',
        `our commits are UTF-8, not ${encoding}`,
        'Git shows them right all the same.',
      ),
    );
  return notes;
}

function hooksOf(layout: RepositoryLayout, config: GitConfig): readonly string[] {
  const folder = config.path('core.hookspath') ?? gitPath(layout, 'hooks');
  return namesIn(folder)
    .filter((name) => HOOKS.has(name) && isExecutable(join(folder, name)))
    .sort();
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // git passes it by as well, whatever the reason
  }
}
