import { accessSync, constants } from 'node:fs';
import { faultOfName, type ObjectId, parseObjectId } from '@cleveragents/git-domain';
import { type CapturedTree, type CaptureOptions, GitError } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import type { WorktreeRepository } from './native-repository.ts';
import { nulTerminated } from './nul-records.ts';
import { type PrivateIndex, withPrivateIndex } from './private-index.ts';
import {
  isDirectory,
  isLink,
  isStagingFolder,
  lstatIfThere,
  Pace,
  readMergeHead,
  splitPath,
  unresolvedPaths,
  withPinned,
} from './shared-parts.ts';

type Omitted = CapturedTree['omitted'];

/** How often a worktree is looked at again that changes while it is read. */
const ATTEMPTS = 4;

/** See `LinkedWorktree.capture`. Works on a copy of the index; filters are git's own. */
export async function captureTree(
  { git, layout, timeoutMs }: WorktreeRepository,
  { omit = [], signal, onProgress }: CaptureOptions = {},
): Promise<CapturedTree> {
  const { deadline } = new Pace('scan', { timeoutMs, signal, onProgress });
  onProgress?.({ phase: 'scan', done: 0, total: null });
  return await withPrivateIndex(git, layout, { from: 'index', deadline }, async (index) => {
    const mergeHead = readMergeHead(layout.gitDirectory);
    const unmerged = mergeHead === null ? [] : await listUnmerged(index);
    const omitted = await new Capture(index, layout.workTree, omit).run();
    const [tree, fileCount] = await Promise.all([writeTree(index), countFiles(index)]);
    return { tree, fileCount, omitted, unresolved: unresolvedPaths(layout, unmerged), mergeHead };
  });
}

async function writeTree(index: PrivateIndex): Promise<ObjectId> {
  // what is not here of a partial clone is at the promisor
  return parseObjectId((await index.run(['write-tree', '--missing-ok'])).toString('latin1').trim());
}

async function listUnmerged(index: PrivateIndex): Promise<readonly string[]> {
  const records = await index.records(['ls-files', '-z', '--unmerged']);
  return [...new Set(records.map((record) => record.slice(record.indexOf('\t') + 1)))];
}

async function countFiles(index: PrivateIndex): Promise<number> {
  const records = await index.records(['ls-files', '-z', '-t', '--stage']);
  return records.filter((record) => !record.startsWith('S ') && !record.startsWith('H 160000 ')).length;
}

interface Findings {
  /** To be taken into the index as it lies there. */
  readonly changed: readonly string[];
  readonly gone: readonly string[];
  readonly omitted: Omitted;
}

type Kind = 'file' | 'gone' | 'special-file' | 'unreadable';

class Capture {
  readonly #index: PrivateIndex;
  readonly #workTree: string;
  readonly #overlooked: ReadonlySet<string>;

  constructor(index: PrivateIndex, workTree: string, omit: readonly string[]) {
    this.#index = index;
    this.#workTree = workTree;
    this.#overlooked = new Set(omit);
  }

  /** Makes the index hold what the worktree does. Gives what it leaves out. */
  async run(): Promise<Omitted> {
    for (let attempt = 1; ; attempt++) {
      const found = await this.#look();
      if (found.changed.length === 0 && found.gone.length === 0) return found.omitted;
      if (attempt > ATTEMPTS) throw moving([...found.changed, ...found.gone]);
      await this.#update(found);
      if (await this.#isAsTaken(found)) return found.omitted;
    }
  }

  /** What was taken in is there still; files that came since are none of this capture's. */
  async #isAsTaken({ omitted }: Findings): Promise<boolean> {
    const leftOut = new Set(omitted.map(({ path }) => path));
    return (await this.#listDiffering()).every((path) => leftOut.has(path));
  }

  async #look(): Promise<Findings> {
    const [tracked, untracked] = await Promise.all([this.#listDiffering(), this.#listUntracked()]);
    const changed: string[] = [];
    const gone: string[] = [];
    const omitted = new Map<string, Omitted[number]['reason']>();
    for (const path of tracked) {
      const kind = this.#kindOf(path);
      if (kind === 'file') changed.push(path);
      else if (kind !== 'unreadable') gone.push(path);
      if (kind === 'special-file' || kind === 'unreadable') omitted.set(path, kind);
    }
    for (const path of untracked) {
      const refused = refusedPart(path);
      if (refused !== null) omitted.set(refused, 'unusable-name');
      else if (path.endsWith('/')) omitted.set(path.slice(0, -1), 'nested-repository');
      else if (this.#kindOf(path) === 'unreadable') omitted.set(path, 'unreadable');
      else changed.push(path);
    }
    return { changed, gone, omitted: [...omitted].map(([path, reason]) => ({ path, reason })) };
  }

  /** Those that stay as the index has them, because nobody can read them, are here each time. */
  async #listDiffering(): Promise<readonly string[]> {
    const args = ['diff-files', '-z', '--name-only', '--no-renames', '--ignore-submodules=all'];
    return [...new Set(await this.#index.records(args))];
  }

  /** Nested repositories end in a slash. */
  async #listUntracked(): Promise<readonly string[]> {
    const records = await this.#index.records(['ls-files', '-z', '--others', '--exclude-standard']);
    return records.filter((path) => {
      const [first = ''] = path.split('/');
      return !this.#overlooked.has(path) && !(path !== first && isStagingFolder(first));
    });
  }

  #kindOf(path: string): Kind {
    try {
      const { directory, name } = splitPath(path);
      return withPinned(this.#workTree, directory, (pinned) => kindAt(pinned.pathOf(name))) ?? 'gone';
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return 'gone';
      if (!hasCode(error, 'EACCES', 'EPERM')) throw error;
      return 'unreadable';
    }
  }

  /** What goes first: git takes no file into the index that lies below a link in the work tree. */
  async #update({ changed, gone }: Findings): Promise<void> {
    if (gone.length > 0)
      await this.#index.run(['update-index', '-z', '--force-remove', '--stdin'], {
        input: nulTerminated(gone),
      });
    if (changed.length > 0)
      await this.#index.run(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
        input: nulTerminated(changed),
      });
  }
}

function kindAt(address: string): Kind {
  const stat = lstatIfThere(address);
  if (stat === null || isDirectory(stat)) return 'gone';
  if (isLink(stat)) return 'file';
  if (!stat.isFile()) return 'special-file';
  accessSync(address, constants.R_OK);
  return 'file';
}

/** The first directory of the path, or the path itself, whose name git would not check out; null: there is none. */
function refusedPart(path: string): string | null {
  const parts = path.split('/');
  const at = parts.findIndex((name) => name !== '' && faultOfName(name) !== null);
  return at < 0 ? null : parts.slice(0, at + 1).join('/');
}

function moving(paths: readonly string[]): GitError {
  return new GitError('GIT_WORKTREE_MOVING', `${paths.slice(0, 3).join(', ')} changes while it is read`, {
    hint: 'Stop what writes there, then try again.',
    data: { paths },
  });
}
