import type { Token } from './token.ts';
import { token } from './token.ts';

export interface FileStatus {
  /** Where it lies below the root once links are followed: POSIX, `''` for the root itself. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'other';
  /** In bytes; 0 for anything but a file. */
  readonly size: number;
  /** The permission bits, `0o777` at most. */
  readonly mode: number;
}

export interface FileContent {
  readonly bytes: Uint8Array;
  /** Of `bytes`: 64 lower-case hex digits. */
  readonly sha256: string;
  readonly status: FileStatus;
}

/** What a change log says of one path: the link itself where there is one, never followed. */
export interface Fingerprint {
  readonly path: string;
  readonly type: 'file' | 'link';
  /** SHA-256 of the bytes on disk, of the target's text for a link; `null` for a file larger than was asked for. */
  readonly sha256: string | null;
  readonly size: number;
  readonly mode: number;
  /** For a link that stays inside and reaches a file: that file's. */
  readonly target?: Fingerprint | undefined;
}

export interface WriteOptions {
  /** Write only over exactly these bytes. */
  readonly expectedSha256?: string | undefined;
  /** Make the directories above it. Those made are removed again when the write fails. */
  readonly makeParents?: boolean | undefined;
}

export interface WriteOutcome {
  readonly created: boolean;
  readonly status: FileStatus;
}

export interface WalkOptions {
  readonly recursive: boolean;
  /** Ends the walk, which is then `truncated`. */
  readonly maxEntries: number;
  /** 1 is the directory itself. What lies deeper is left out, and the walk is `truncated`. */
  readonly maxDepth: number;
  /** Ends the walk with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Leaves out more than the limits do. */
  readonly filter?: WalkFilter | undefined;
  /** Ask for sizes; without it every size is 0, and the walk is faster. */
  readonly sizes?: boolean | undefined;
}

export interface WalkFilter {
  /**
   * Called for each directory before anything in it is asked about. `read` gives the first bytes of a file of that
   * directory, `undefined` where it has none of that name; only until this call returns.
   */
  enter(directory: string, read: (name: string, maxBytes: number) => Uint8Array | undefined): void;
  /** Whether an entry, and with a directory everything in it, is left out. */
  leavesOut(path: string, type: WalkEntry['type']): boolean;
}

export interface WalkEntry {
  /** Relative to the root. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'link' | 'other';
  readonly size: number;
  /**
   * The first bytes of a file, at most `maxBytes`; `undefined` when it is gone or is no regular file any more. Only
   * until the walk goes on to the next entry; the bytes may be overwritten by the next call unless `keep` is set.
   */
  read(maxBytes: number, options?: { readonly keep?: boolean }): Uint8Array | undefined;
  /**
   * Holds the file's directory so that other threads of this process can read the file, also when the walk has gone on.
   * `undefined` where only this thread can read it, or when as many directories are held as a walk may hold.
   */
  lend(): LentFile | undefined;
}

export interface LentFile {
  /** Of no meaning to anybody but the adapter that lent it, whose program reads it in the other thread. */
  readonly address: string;
  /** Nobody reads it any more: from now on the address may lead anywhere. */
  release(): void;
}

/** `false`: no further entries are wanted. */
export type VisitResult = void | false;

export interface Walk extends AsyncIterable<WalkEntry> {
  /** The same without a promise for each entry: waits only where `visit` returns one. Ends early at `false`. */
  each(visit: (entry: WalkEntry) => VisitResult | Promise<VisitResult>): Promise<void>;
  /** Whether a limit left something out; final once the walk has ended. */
  readonly truncated: boolean;
  /** How many directories could not be looked into; final once the walk has ended. */
  readonly unreadable: number;
}

/**
 * The files below one directory, for callers who are not trusted with any other. Paths are relative to the root, and so
 * are the answers. Links are followed while they stay inside.
 *
 * Every method refuses, with `PATH_TRAVERSAL` and before anything is touched, a path that leads out, by its spelling
 * or through links, also while somebody swaps directories for links. Those that write refuse a name of `.git` anywhere
 * in the path with `PATH_PROTECTED`.
 */
export interface RootedFileSystem {
  /** `pinned`: holds against somebody who swaps directories meanwhile. `checked`: there is a narrow window. */
  readonly confinement: 'pinned' | 'checked';

  /** `undefined` when there is nothing, or a link to nothing inside. */
  status(path: string): Promise<FileStatus | undefined>;

  /** What a name itself stands for, a link at the end not followed; `undefined` when there is nothing. */
  entryType(path: string): Promise<WalkEntry['type'] | undefined>;

  /**
   * The whole of a regular file. Never blocks on a FIFO or device.
   * @throws RootedFileError `FILE_NOT_FOUND`, `NOT_A_REGULAR_FILE`, `NOT_A_DIRECTORY`, `FILE_TOO_LARGE` beyond `maxBytes`
   */
  read(path: string, limits: { readonly maxBytes: number }): Promise<FileContent>;

  /** A regular file in chunks; fails as `read` does, but has no limit of size: stop when there is enough. */
  stream(path: string): AsyncIterable<Uint8Array>;

  /** `undefined` where there is neither file nor link. Reads the whole file, unless it is larger than `maxBytes`. */
  fingerprint(path: string, limits: { readonly maxBytes: number }): Promise<Fingerprint | undefined>;

  /**
   * Replaces or makes a file, all or nothing: readers see the old bytes or the new. Keeps the permission bits, drops
   * setuid and setgid, and does not promise more: on a disk, extended attributes and access control lists are lost. Writes to the file that a link reaches; a hard link's other names keep the old bytes.
   * @throws RootedFileError `FILE_CHANGED` when `expectedSha256` does not hold; `NOT_A_REGULAR_FILE`; for a link to
   *   nothing, `FILE_NOT_FOUND`; `PERMISSION_DENIED`, `STORAGE_FULL`, `STORAGE_READ_ONLY`: the file is as it was
   */
  write(path: string, bytes: Uint8Array, options?: WriteOptions): Promise<WriteOutcome>;

  /**
   * Removes a file or a link, never what the link reaches. `false` when there is nothing.
   * @throws RootedFileError `NOT_A_REGULAR_FILE` for a directory and for the root
   */
  remove(path: string): Promise<boolean>;

  /** Makes a directory and those above it. `false` when it is there already. */
  makeDirectory(path: string): Promise<boolean>;

  /**
   * What lies in a directory, ordered by path as `<` orders strings. Never follows a link, never descends into `.git`
   * or into another work tree (a directory below the start that holds a `.git`), which are listed themselves.
   * Fails, once iterated, with `NOT_A_DIRECTORY` or `FILE_NOT_FOUND` when the start is none.
   */
  walk(path: string, options: WalkOptions): Walk;

  /**
   * The absolute path for handing to another program, links followed; of something not there yet, where it would be.
   * Proven to lie inside at this moment only. `undefined` when the files are on no disk.
   */
  hostPath(path: string): Promise<string | undefined>;
}

export const RootedFileSystemToken: Token<RootedFileSystem> = token(
  '@cleveragents/shared-kernel/RootedFileSystem',
);
