import { faultOfName, type Leaf, type ObjectId } from '@cleveragents/git-domain';
import { type CapturedTree, GitError } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { FileComparison } from './file-comparison.ts';
import type { GitConfig } from './git-config.ts';
import { IgnoreRules } from './ignore-rules.ts';
import type { LoadedIndex } from './index-file.ts';
import { endOfFolder, endOfPath, type IndexRange, nameAt } from './index-range.ts';
import { holdsRepository } from './nested-repository.ts';
import type { Pace } from './pace.ts';
import { PinnedDirectory, readably, withPinned } from './pinned-directory.ts';
import type { RepositoryLayout } from './repository-layout.ts';
import { isStagingFolder } from './staging-folder.ts';
import type { StatCache } from './stat-cache.ts';
import { isDirectory, lstatIfThere, readSteadily } from './steady-file.ts';

/** A layout that has a work tree. */
export type WorktreeLayout = RepositoryLayout & { readonly workTree: string };

export interface ScanRequest {
  readonly layout: WorktreeLayout;
  readonly config: GitConfig;
  readonly index: LoadedIndex;
  readonly pace: Pace;
  /** Gets the bytes of each file that is not as the index says, and gives their id. */
  readonly keepContent: (bytes: Buffer) => ObjectId;
  /** Whether content that was kept at an earlier scan is still kept. */
  readonly hasContent?: ((id: ObjectId) => boolean) | undefined;
  /** False: untracked files are listed without being read. Default true. */
  readonly readsUntracked?: boolean | undefined;
  readonly known?: StatCache | undefined;
  /** Called before a directory or anything in it is looked at, with an address that is good for the call. */
  readonly onDirectory?: ((address: string) => void) | undefined;
  /** Untracked paths to overlook. */
  readonly omit?: readonly string[] | undefined;
}

export interface DifferingFile {
  readonly path: string;
  /** Number of its first entry in the index. */
  readonly entry: number;
  /** What lies there now; null: nothing that git could track. */
  readonly leaf: Leaf | null;
}

export interface WorktreeScan {
  /** Tracked paths that are not as the index says; those with several stages in the index are always here. */
  readonly differing: readonly DifferingFile[];
  /** Not ignored. `leaf` is null when untracked files are not read. */
  readonly untracked: readonly { readonly path: string; readonly leaf: Leaf | null }[];
  /** Not ignored, and without a tracked file. */
  readonly untrackedDirectories: readonly string[];
  readonly omitted: CapturedTree['omitted'];
  /** Of the files that git tracks or would track. */
  readonly fileCount: number;
}

interface Frame extends IndexRange {
  /** Empty, or the directory's path with a slash at its end. */
  readonly prefix: string;
  readonly directory: PinnedDirectory;
  /** Directories below that are still to be visited. */
  pending: Folder[];
}

interface Folder extends IndexRange {
  readonly name: string;
}

const NO_ENTRIES: IndexRange = { start: 0, end: 0 };

/**
 * Compares a work tree with an index. Each directory is pinned, and its files are looked at through it, so that nothing
 * from outside can come in. Only files whose stat differs from the index's are read.
 *
 * @throws GitError `GIT_WORKTREE_MOVING`, `GIT_ABORTED`, `GIT_TIMEOUT`, `GIT_WORKTREE_BROKEN` when there is no work tree.
 */
export function scanWorktree(request: ScanRequest): Promise<WorktreeScan> {
  return new Scanner(request).run();
}

class Scanner {
  readonly #request: ScanRequest;
  readonly #rules: IgnoreRules;
  readonly #files: FileComparison;
  readonly #overlooked: ReadonlySet<string>;
  readonly #frames: Frame[] = [];
  readonly #untrackedDirectories: string[] = [];

  constructor(request: ScanRequest) {
    this.#request = request;
    this.#files = new FileComparison(request);
    this.#overlooked = new Set(request.omit);
    this.#rules = IgnoreRules.load(request.layout, request.config, {
      readIgnoreFile: (directory) => this.#readIgnoreFile(directory),
    });
  }

  async run(): Promise<WorktreeScan> {
    const { layout, index } = this.#request;
    const root = PinnedDirectory.open(layout.workTree);
    if (root === null)
      throw new GitError('GIT_WORKTREE_BROKEN', `there is no directory ${layout.workTree}`, {
        data: { path: layout.workTree },
      });
    try {
      await this.#enter('', root, { start: 0, end: index.view.entryCount });
      while (this.#frames.length > 0) await this.#advance();
    } catch (error) {
      throw readably(error);
    } finally {
      for (const { directory } of this.#frames.splice(0)) directory.close();
    }
    return { ...this.#files.findings(), untrackedDirectories: this.#untrackedDirectories };
  }

  async #advance(): Promise<void> {
    const frame = this.#frames.at(-1) as Frame;
    const folder = frame.pending.pop();
    if (folder === undefined) {
      frame.directory.close();
      this.#frames.pop();
      return;
    }
    const path = frame.prefix + folder.name;
    const directory = this.#pin(frame, folder.name);
    if (directory === 'unreadable') this.#files.omit(path, 'unreadable');
    else if (directory === null) await this.#addGone(folder);
    else if (folder.start === folder.end && this.#holdsRepository(directory)) {
      directory.close();
      this.#files.omit(path, 'nested-repository');
    } else {
      if (folder.start === folder.end) this.#untrackedDirectories.push(path);
      await this.#enter(`${path}/`, directory, folder);
    }
  }

  /** What may not be looked into is left to be named as unreadable when it is entered. */
  #holdsRepository(directory: PinnedDirectory): boolean {
    try {
      return holdsRepository(directory);
    } catch (error) {
      if (hasCode(error, 'EACCES', 'EPERM')) return false;
      throw error;
    }
  }

  #pin(frame: Frame, name: string): PinnedDirectory | null | 'unreadable' {
    try {
      return frame.directory.child(name);
    } catch (error) {
      if (hasCode(error, 'EACCES', 'EPERM')) return 'unreadable';
      throw error;
    }
  }

  async #enter(prefix: string, directory: PinnedDirectory, range: IndexRange): Promise<void> {
    const { pace, onDirectory } = this.#request;
    onDirectory?.(directory.pathOf('.'));
    const frame: Frame = { prefix, directory, start: range.start, end: range.end, pending: [] };
    this.#frames.push(frame);
    const tracked = await this.#compareTracked(frame);
    for (const name of this.#namesIn(frame)) {
      if (tracked.has(name) || name === '.git') continue;
      if (pace.step()) await pace.breathe();
      this.#visitUntracked(frame, name);
    }
  }

  #namesIn({ prefix, directory }: Frame): readonly string[] {
    try {
      return directory.names();
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      if (!hasCode(error, 'EACCES', 'EPERM')) throw error;
      this.#files.omit(prefix.slice(0, -1), 'unreadable');
      return [];
    }
  }

  /** The names that the index has in this directory; without those that are something else now, which count as untracked. */
  async #compareTracked(frame: Frame): Promise<ReadonlySet<string>> {
    const { pace, index } = this.#request;
    const tracked = new Set<string>();
    const prefixBytes = Buffer.byteLength(frame.prefix);
    for (let entry = frame.start; entry < frame.end;) {
      const { name, isFolder } = nameAt(index, entry, prefixBytes);
      if (pace.step()) await pace.breathe();
      const rest = { start: entry, end: frame.end };
      const path = frame.prefix + name;
      const end = isFolder ? endOfFolder(index, rest, path) : endOfPath(index, rest);
      const isStill = isFolder
        ? await this.#compareFolder(frame, { name, start: entry, end })
        : this.#compareFile(frame, { name, path, entry });
      if (isStill) tracked.add(name);
      entry = end;
    }
    return tracked;
  }

  #compareFile(
    frame: Frame,
    { name, path, entry }: { readonly name: string; readonly path: string; readonly entry: number },
  ): boolean {
    // the plain path is twice as fast, and whoever leads it astray cannot make another file look like the one in the index
    if (this.#files.isUnchanged(`${this.#request.layout.workTree}/${path}`, entry)) return true;
    return this.#files.compare({ path, address: frame.directory.pathOf(name), entry });
  }

  async #compareFolder(frame: Frame, folder: Folder): Promise<boolean> {
    const stat = lstatIfThere(frame.directory.pathOf(folder.name));
    if (stat !== null && isDirectory(stat)) {
      frame.pending.push(folder);
      return true;
    }
    await this.#addGone(folder);
    return false;
  }

  #visitUntracked(frame: Frame, name: string): void {
    const file = { path: frame.prefix + name, address: frame.directory.pathOf(name), entry: -1 };
    const isOurs = frame.prefix === '' && isStagingFolder(name);
    if (isOurs || this.#overlooked.has(file.path)) return;
    const stat = this.#files.look(file);
    if (stat === 'unreadable') return;
    if (stat === null) {
      // a name whose bytes are no UTF-8 cannot be asked for by its text
      if (name.includes('\ufffd')) this.#files.omit(file.path, 'unusable-name');
      return;
    }
    if (this.#rules.isIgnored(file.path, isDirectory(stat))) return;
    if (faultOfName(name) !== null) this.#files.omit(file.path, 'unusable-name');
    else if (isDirectory(stat)) frame.pending.push({ name, ...NO_ENTRIES });
    else this.#files.addUntracked(file, stat);
  }

  async #addGone(folder: IndexRange): Promise<void> {
    const { index, pace } = this.#request;
    const { view } = index;
    for (let entry = folder.start; entry < folder.end;) {
      if (pace.step()) await pace.breathe();
      const isKept =
        view.stage(entry) === 0 &&
        (view.mode(entry) === '160000' || view.skipsWorktree(entry) || view.isAssumedValid(entry));
      if (!isKept) this.#files.addGone(view.path(entry), entry);
      entry = endOfPath(index, { start: entry, end: folder.end });
    }
  }

  /** Git follows no link to a `.gitignore`. */
  #readIgnoreFile(directory: string): Buffer | null {
    const prefix = directory === '' ? '' : `${directory}/`;
    const frame = this.#frames.findLast((candidate) => candidate.prefix === prefix);
    const read = (pinned: PinnedDirectory): Buffer | null => {
      const reading = readSteadily(pinned.pathOf('.gitignore'));
      return reading.kind === 'file' ? reading.bytes : null;
    };
    return frame ? read(frame.directory) : withPinned(this.#request.layout.workTree, directory, read);
  }
}
