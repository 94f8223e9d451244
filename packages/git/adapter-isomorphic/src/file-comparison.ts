import { lstatSync, type Stats } from 'node:fs';
import type { Leaf, LeafMode } from '@cleveragents/git-domain';
import { type CapturedTree, GitError } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { isRacy, matchesStat } from './index-file.ts';
import { StatCache } from './stat-cache.ts';
import { isDirectory, isLink, isRegular, lstatIfThere, readSteadily } from './steady-file.ts';
import type { DifferingFile, ScanRequest, WorktreeScan } from './worktree-scan.ts';

/** A file as the scan meets it, and what the index has for it. */
export interface Candidate {
  readonly path: string;
  /** Where it can be reached now. */
  readonly address: string;
  /** -1 when it is untracked. */
  readonly entry: number;
}

type Omission = CapturedTree['omitted'][number];

const MODE = 24;
const FLAGS = 60;
/** From here on an entry has flags or stages beside the length of its path. */
const UNUSUAL_FLAGS = 0x10;
const PLAIN_FILE = 0o100644;
const EXECUTABLE_FILE = 0o100755;
const LINK = 0o120000;
const GITLINK = 0o160000;
const QUIETLY = { throwIfNoEntry: false } as const;
const EXECUTABLE = 0o100;

/** Whatever keeps it from being seen is found out by the thorough look. */
function quietStat(address: string): Stats | undefined {
  try {
    return lstatSync(address, QUIETLY);
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM', 'ENOTDIR')) return undefined;
    throw error;
  }
}

function tooLarge(path: string): GitError {
  return new GitError(
    'GIT_UNSUPPORTED_REPOSITORY',
    `${path} is larger than 1 GiB, too large for this engine`,
    {
      hint: `Move ${path} out of the sandbox, or let .gitignore name it. A sandbox made with \`--engine native\` could take it.`,
      data: { path, features: ['large-file'] },
    },
  );
}

/** Looks at one file after the other, and keeps what it finds. */
export class FileComparison {
  readonly #request: ScanRequest;
  readonly #known: StatCache;
  readonly #trustsFileMode: boolean;
  readonly #differing: DifferingFile[] = [];
  readonly #untracked: { path: string; leaf: Leaf | null }[] = [];
  readonly #omitted: Omission[] = [];
  readonly #moving: string[] = [];
  #fileCount = 0;

  constructor(request: ScanRequest) {
    this.#request = request;
    this.#known = request.known ?? StatCache.empty();
    this.#trustsFileMode = request.config.boolean('core.filemode', true);
  }

  /** @throws GitError `GIT_WORKTREE_MOVING`. */
  findings(): Omit<WorktreeScan, 'untrackedDirectories'> {
    if (this.#moving.length > 0) throw this.#movingError();
    return {
      differing: this.#differing,
      untracked: this.#untracked,
      omitted: this.#omitted,
      fileCount: this.#fileCount,
    };
  }

  #movingError(): GitError {
    const some = this.#moving.slice(0, 3).join(', ');
    return new GitError('GIT_WORKTREE_MOVING', `${some} in ${this.#request.layout.workTree} keeps changing`, {
      hint: 'Wait until the program that writes there is done.',
      data: { paths: this.#moving },
    });
  }

  omit(path: string, reason: Omission['reason']): void {
    this.#omitted.push({ path, reason });
  }

  /** Nothing that git could track is left of the entry. */
  addGone(path: string, entry: number): void {
    this.#differing.push({ path, entry, leaf: null });
  }

  /** The quick look that settles nearly all files: the file has the very stat and mode of its index entry. */
  isUnchanged(address: string, entry: number): boolean {
    const { bytes, view, writtenMs } = this.#request.index;
    const offset = view.offset(entry);
    // no stage, no flag, a path of usual length
    if ((bytes[offset + FLAGS] as number) >= UNUSUAL_FLAGS) return false;
    const stat = quietStat(address);
    if (stat === undefined || !matchesStat(bytes, offset, stat)) return false;
    if (isRacy(bytes, offset, writtenMs)) return false;
    const mode = bytes.readUInt32BE(offset + MODE);
    const isSame = mode === LINK ? isLink(stat) : isRegular(stat) && this.#hasMode(stat, mode);
    if (isSame) this.#fileCount += 1;
    return isSame;
  }

  #hasMode(stat: Stats, mode: number): boolean {
    return !this.#trustsFileMode || (stat.mode & EXECUTABLE ? mode === EXECUTABLE_FILE : mode === PLAIN_FILE);
  }

  /** False when what lies there must be looked at as untracked. */
  compare(file: Candidate): boolean {
    const { index } = this.#request;
    const { view, bytes } = index;
    const { entry } = file;
    // git itself does not look at such a file
    if (view.isAssumedValid(entry)) return this.#count();
    const stat = this.look(file);
    const isMerged = view.stage(entry) === 0;
    const isGitlink = isMerged && bytes.readUInt32BE(view.offset(entry) + MODE) === GITLINK;
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
    const isLinkEntry = bytes.readUInt32BE(offset + MODE) === LINK;
    return (
      view.stage(entry) === 0 &&
      matchesStat(bytes, offset, stat) &&
      (isLinkEntry ? isLink(stat) : isRegular(stat)) &&
      !isRacy(bytes, offset, writtenMs) &&
      !view.isIntentToAdd(entry)
    );
  }

  addUntracked(file: Candidate, stat: Stats): void {
    if (this.#request.readsUntracked === false) {
      this.#count();
      this.#untracked.push({ path: file.path, leaf: null });
      return;
    }
    const leaf = this.#read(file, stat);
    if (leaf) this.#untracked.push({ path: file.path, leaf });
  }

  /** Null when nothing is there. */
  look({ path, address }: Candidate): Stats | null | 'unreadable' {
    try {
      return lstatIfThere(address);
    } catch (error) {
      if (!hasCode(error, 'EACCES', 'EPERM')) throw error;
      this.omit(path, 'unreadable');
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
        this.omit(path, 'special-file');
        return null;
      case 'unreadable':
        this.omit(path, 'unreadable');
        return undefined;
      case 'too-large':
        throw tooLarge(path);
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
}
