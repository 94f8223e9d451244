import type { Stats } from 'node:fs';
import { faultOfName, type Leaf, type LeafMode, type ObjectId } from '@cleveragents/git-domain';
import { type CapturedTree, GitError } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import type { GitConfig } from './git-config.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { isRacy, type LoadedIndex, matchesStat } from './index-file.ts';
import { endOfFolder, endOfPath, type IndexRange, nameAt } from './index-range.ts';
import { holdsRepository } from './nested-repository.ts';
import type { Pace } from './pace.ts';
import { PinnedDirectory, withPinned } from './pinned-directory.ts';
import type { RepositoryLayout } from './repository-layout.ts';
import { StatCache } from './stat-cache.ts';
import { isDirectory, isLink, isRegular, lstatIfThere, readSteadily } from './steady-file.ts';

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

/** A file as the scan meets it, and what the index has for it. */
interface Candidate {
  readonly path: string;
  /** Where it can be reached now. */
  readonly address: string;
  /** -1 when it is untracked. */
  readonly entry: number;
}

const GITLINK = 0o160000;
const EXECUTABLE = 0o100;
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
  readonly #known: StatCache;
  readonly #overlooked: ReadonlySet<string>;
  readonly #trustsFileMode: boolean;
  readonly #frames: Frame[] = [];
  readonly #differing: DifferingFile[] = [];
  readonly #untracked: { path: string; leaf: Leaf | null }[] = [];
  readonly #untrackedDirectories: string[] = [];
  readonly #omitted: CapturedTree['omitted'][number][] = [];
  readonly #moving: string[] = [];
  #fileCount = 0;

  constructor(request: ScanRequest) {
    this.#request = request;
    this.#known = request.known ?? StatCache.empty();
    this.#overlooked = new Set(request.omit);
    this.#trustsFileMode = request.config.boolean('core.filemode', true);
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
    } finally {
      for (const { directory } of this.#frames.splice(0)) directory.close();
    }
    this.#requireStill();
    return {
      differing: this.#differing,
      untracked: this.#untracked,
      untrackedDirectories: this.#untrackedDirectories,
      omitted: this.#omitted,
      fileCount: this.#fileCount,
    };
  }

  #requireStill(): void {
    if (this.#moving.length === 0) return;
    const some = this.#moving.slice(0, 3).join(', ');
    throw new GitError('GIT_WORKTREE_MOVING', `${some} in ${this.#request.layout.workTree} keeps changing`, {
      hint: 'Wait until the program that writes there is done.',
      data: { paths: this.#moving },
    });
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
    if (directory === 'unreadable') this.#omitted.push({ path, reason: 'unreadable' });
    else if (directory === null) await this.#addGone(folder);
    else if (folder.start === folder.end && holdsRepository(directory)) {
      directory.close();
      this.#omitted.push({ path, reason: 'nested-repository' });
    } else {
      if (folder.start === folder.end) this.#untrackedDirectories.push(path);
      await this.#enter(`${path}/`, directory, folder);
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
    const { pace } = this.#request;
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
      this.#omitted.push({ path: prefix.slice(0, -1), reason: 'unreadable' });
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
      const rest = { start: entry, end: frame.end };
      const path = frame.prefix + name;
      const end = isFolder ? endOfFolder(index, rest, path) : endOfPath(index, rest);
      if (pace.step()) await pace.breathe();
      const isStill = isFolder
        ? await this.#compareFolder(frame, { name, start: entry, end })
        : this.#compareFile({ path, address: frame.directory.pathOf(name), entry });
      if (isStill) tracked.add(name);
      entry = end;
    }
    return tracked;
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

  /** False when what lies there must be looked at as untracked. */
  #compareFile(file: Candidate): boolean {
    const { index } = this.#request;
    const { view, bytes } = index;
    const { entry } = file;
    // git itself does not look at such a file
    if (view.isAssumedValid(entry)) return this.#count();
    const stat = this.#look(file);
    const isMerged = view.stage(entry) === 0;
    const isGitlink = isMerged && bytes.readUInt32BE(view.offset(entry) + 24) === GITLINK;
    if (stat === 'unreadable') return true;
    if (stat === null) return isGitlink || view.skipsWorktree(entry) || this.#differ(file, null);
    if (isDirectory(stat)) return isGitlink || !this.#differ(file, null);
    const mode = this.#modeOf(stat, entry);
    if (this.#isAsIndexed(entry, stat)) {
      if (mode !== view.mode(entry)) this.#differ(file, { mode, id: view.idHex(entry) });
      return this.#count();
    }
    const leaf = this.#read(file, stat);
    if (leaf === undefined) return true;
    const isSame = isMerged && leaf?.id === view.idHex(entry) && leaf.mode === view.mode(entry);
    return (isSame && !view.isIntentToAdd(entry)) || this.#differ(file, leaf);
  }

  /** By stat alone. */
  #isAsIndexed(entry: number, stat: Stats): boolean {
    const { view, bytes, writtenMs } = this.#request.index;
    const offset = view.offset(entry);
    const isLinkEntry = bytes.readUInt32BE(offset + 24) === 0o120000;
    return (
      view.stage(entry) === 0 &&
      matchesStat(bytes, offset, stat) &&
      (isLinkEntry ? isLink(stat) : isRegular(stat)) &&
      !isRacy(bytes, offset, writtenMs) &&
      !view.isIntentToAdd(entry)
    );
  }

  #visitUntracked(frame: Frame, name: string): void {
    const file = { path: frame.prefix + name, address: frame.directory.pathOf(name), entry: -1 };
    if (this.#overlooked.has(file.path)) return;
    const stat = this.#look(file);
    if (stat === 'unreadable') return;
    if (stat === null) {
      // a name whose bytes are no UTF-8 cannot be asked for by its text
      if (name.includes('\ufffd')) this.#omitted.push({ path: file.path, reason: 'special-file' });
      return;
    }
    if (this.#rules.isIgnored(file.path, isDirectory(stat))) return;
    if (faultOfName(name) !== null) this.#omitted.push({ path: file.path, reason: 'special-file' });
    else if (isDirectory(stat)) frame.pending.push({ name, ...NO_ENTRIES });
    else this.#addUntracked(file, stat);
  }

  #addUntracked(file: Candidate, stat: Stats): void {
    if (this.#request.readsUntracked === false) {
      this.#count();
      this.#untracked.push({ path: file.path, leaf: null });
      return;
    }
    const leaf = this.#read(file, stat);
    if (leaf) this.#untracked.push({ path: file.path, leaf });
  }

  #look({ path, address }: Candidate): Stats | null | 'unreadable' {
    try {
      return lstatIfThere(address);
    } catch (error) {
      if (!hasCode(error, 'EACCES', 'EPERM')) throw error;
      this.#omitted.push({ path, reason: 'unreadable' });
      return 'unreadable';
    }
  }

  /** What lies there, its content kept; null: nothing; undefined: it is left out, and said so. */
  #read({ path, address, entry }: Candidate, stat: Stats): Leaf | null | undefined {
    const known = this.#known.find(path, stat);
    if (known !== null && this.#request.hasContent?.(known) === true) {
      this.#count();
      return { mode: this.#modeOf(stat, entry), id: known };
    }
    const reading = readSteadily(address);
    switch (reading.kind) {
      case 'file':
      case 'link': {
        const id = this.#request.keepContent(reading.bytes);
        this.#known.remember(path, reading.stat, id);
        this.#count();
        return { mode: this.#modeOf(reading.stat, entry), id };
      }
      case 'special':
        this.#omitted.push({ path, reason: 'special-file' });
        return null;
      case 'unreadable':
        this.#omitted.push({ path, reason: 'unreadable' });
        return undefined;
      case 'moving':
      case 'directory':
        this.#moving.push(path);
        return undefined;
      case 'absent':
        return null;
    }
  }
  #modeOf(stat: Stats, entry: number): LeafMode {
    if (isLink(stat)) return '120000';
    if (this.#trustsFileMode) return stat.mode & EXECUTABLE ? '100755' : '100644';
    const indexed = entry < 0 ? '100644' : this.#request.index.view.mode(entry);
    return indexed === '100755' ? '100755' : '100644';
  }

  #count(): true {
    this.#fileCount += 1;
    return true;
  }

  #differ({ path, entry }: Candidate, leaf: Leaf | null): true {
    this.#differing.push({ path, entry, leaf });
    return true;
  }

  async #addGone(folder: IndexRange): Promise<void> {
    const { index, pace } = this.#request;
    const { view } = index;
    for (let entry = folder.start; entry < folder.end;) {
      if (pace.step()) await pace.breathe();
      const isKept =
        view.stage(entry) === 0 &&
        (view.mode(entry) === '160000' || view.skipsWorktree(entry) || view.isAssumedValid(entry));
      if (!isKept) this.#differing.push({ path: view.path(entry), entry, leaf: null });
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
