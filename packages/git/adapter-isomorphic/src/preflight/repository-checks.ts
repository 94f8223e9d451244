import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { UnsupportedFeature } from '@cleveragents/git-ports';
import type { Environment } from '../environment.ts';
import { namesIn, readTextIfThere, statIfThere } from '../file-access.ts';
import type { GitConfig } from '../git-config.ts';
import { expandHome } from '../home-path.ts';
import { PackedRefs } from '../packed-refs.ts';
import { refFilesBelow } from '../ref-files.ts';
import type { RepositoryLayout } from '../repository-layout.ts';
import { examples, finding } from './finding.ts';

const LARGEST_PACK = 1.5e9;

/** What lies in the git folder that we do not read, or not safely. */
export function checkFiles(layout: RepositoryLayout, config: GitConfig): readonly UnsupportedFeature[] {
  const { commonDirectory, gitDirectory } = layout;
  const found: UnsupportedFeature[] = [];
  if (statIfThere(join(commonDirectory, 'reftable')) !== null)
    found.push(finding('reftable', 'refs are kept in a reftable'));
  if (lstatSync(join(gitDirectory, 'HEAD'), { throwIfNoEntry: false })?.isSymbolicLink())
    found.push(
      finding(
        'symlink-head',
        'HEAD is a link, as it was long ago',
        'Run `git symbolic-ref HEAD "$(git symbolic-ref HEAD)"`.',
      ),
    );
  if (hasLines(join(commonDirectory, 'objects/info/alternates')))
    found.push(
      finding(
        'alternates',
        'objects lie in another repository too (objects/info/alternates)',
        'Use the native engine, or copy them here: `git repack -a -d`, then remove that file.',
      ),
    );
  if (hasLines(join(commonDirectory, 'info/grafts')))
    found.push(finding('grafts', 'info/grafts changes history'));
  if (config.boolean('core.usereplacerefs', true) && hasReplaceRefs(commonDirectory))
    found.push(finding('replace-refs', 'refs/replace changes what objects are'));
  return [...found, ...checkPacks(commonDirectory)];
}

function hasLines(path: string): boolean {
  return (readTextIfThere(path) ?? '')
    .split('\n')
    .some((line) => line.trim() !== '' && !line.startsWith('#'));
}

function hasReplaceRefs(commonDirectory: string): boolean {
  if (refFilesBelow(commonDirectory, 'refs/replace').length > 0) return true;
  return PackedRefs.read(commonDirectory).firstBelow('refs/replace') !== null;
}

function checkPacks(commonDirectory: string): readonly UnsupportedFeature[] {
  const folder = join(commonDirectory, 'objects/pack');
  const large = namesIn(folder).filter(
    (name) => name.endsWith('.pack') && (statIfThere(join(folder, name))?.size ?? 0) > LARGEST_PACK,
  );
  return large.length === 0 ? [] : [finding('large-pack', `more than 1.5 GB: ${examples(large)}`)];
}

/** As git refuses to work for somebody else: `safe.directory` must name the repository unless it is the user's own. */
export function checkOwner(
  layout: RepositoryLayout,
  config: GitConfig,
  environment: Environment,
): readonly UnsupportedFeature[] {
  const { workTree, gitDirectory } = layout;
  const places = [gitDirectory, ...(workTree === null ? [] : [workTree, join(workTree, '.git')])];
  const users = usersOf(environment);
  if (users === null) return [];
  // with `core.worktree`, the work tree has no `.git` of its own
  const foreign = places.find((place) => {
    const found = statSync(place, { throwIfNoEntry: false });
    return found !== undefined && !users.has(found.uid);
  });
  const root = workTree ?? gitDirectory;
  if (foreign === undefined || isSafe(root, config, environment)) return [];
  return [
    finding(
      'foreign-owner',
      `${foreign} belongs to another user`,
      `Trust it: git config --global --add safe.directory ${root}`,
    ),
  ];
}

/** Who counts as the user: also the one who called sudo. Null where the system has no such numbers. */
function usersOf(environment: Environment): ReadonlySet<number> | null {
  const user = process.geteuid?.();
  if (user === undefined) return null;
  const caller = environment['SUDO_UID'];
  return new Set(
    user === 0 && caller !== undefined && /^\d+$/.test(caller) ? [user, Number(caller)] : [user],
  );
}

/** Only settings that the repository's owner has no hand in; an empty value forgets those before it. */
function isSafe(root: string, config: GitConfig, environment: Environment): boolean {
  let safe = false;
  for (const value of config.getAll('safe.directory', ['system', 'global', 'command'])) {
    if (value === null || value === '') safe = false;
    else if (value === '*') safe = true;
    else if (value.endsWith('/*')) safe ||= root.startsWith(expandHome(value, environment).slice(0, -1));
    else safe ||= expandHome(value, environment).replace(/\/+$/, '') === root;
  }
  return safe;
}
