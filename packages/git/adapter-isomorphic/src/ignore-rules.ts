import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '@cleveragents/shared-kernel';
import { fileSystemError, readBytesIfThere } from './file-access.ts';
import type { GitConfig } from './git-config.ts';
import { type IgnorePattern, parseIgnoreFile } from './ignore-pattern.ts';
import { gitPath, type RepositoryLayout } from './repository-layout.ts';

export interface IgnoreRulesOptions {
  /**
   * The bytes of a directory's `.gitignore`; null when it has none. Called at most once for each directory, when a path
   * below it is first asked for. @param directory relative to the work tree, `''` for its root.
   */
  readonly readIgnoreFile?: ((directory: string) => Uint8Array | null) | undefined;
}

/** The patterns of one file, and the folder that they speak of. */
interface PatternFile {
  /** Empty, or ends in a slash; bytes. */
  readonly base: string;
  readonly patterns: readonly IgnorePattern[];
}

interface Folder {
  readonly ignored: boolean;
  /** What applies below it, strongest first. */
  readonly files: readonly PatternFile[];
}

/** Which paths of a work tree git would leave out as ignored. Knows nothing of the index: a tracked file is never ignored. */
export class IgnoreRules {
  readonly #readIgnoreFile: (directory: string) => Uint8Array | null;
  readonly #ignoreCase: boolean;
  readonly #folders = new Map<string, Folder>();

  private constructor(
    shared: readonly (Uint8Array | null)[],
    ignoreCase: boolean,
    readIgnoreFile: (directory: string) => Uint8Array | null,
  ) {
    this.#readIgnoreFile = readIgnoreFile;
    this.#ignoreCase = ignoreCase;
    const files = shared.flatMap((bytes) => this.#parse('', bytes));
    this.#folders.set('', { ignored: false, files: [...this.#parse('', readIgnoreFile('')), ...files] });
  }

  /** Reads `info/exclude` and `core.excludesFile` now, the `.gitignore` files later, as they are needed. */
  static load(layout: RepositoryLayout, config: GitConfig, options: IgnoreRulesOptions = {}): IgnoreRules {
    const own = gitPath(layout, 'info/exclude');
    const userFile = config.excludesFile;
    const { workTree } = layout;
    const readIgnoreFile =
      options.readIgnoreFile ??
      ((directory) => (workTree === null ? null : readUnlinked(join(workTree, directory, '.gitignore'))));
    return new IgnoreRules(
      [readBytesIfThere(own), userFile === null ? null : readUserFile(userFile)],
      config.boolean('core.ignorecase', false),
      readIgnoreFile,
    );
  }

  /** @param path relative to the work tree, POSIX, no trailing slash. True also when a parent is ignored. */
  isIgnored(path: string, isDirectory: boolean): boolean {
    const parent = this.#folder(path.slice(0, Math.max(path.lastIndexOf('/'), 0)));
    return parent.ignored || isMatched(parent.files, path, isDirectory);
  }

  #folder(path: string): Folder {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const parent = this.#folder(path.slice(0, Math.max(path.lastIndexOf('/'), 0)));
    const ignored = parent.ignored || isMatched(parent.files, path, true);
    const own = ignored ? [] : this.#parse(path, this.#readIgnoreFile(path));
    const folder = { ignored, files: own.length === 0 ? parent.files : [...own, ...parent.files] };
    this.#folders.set(path, folder);
    return folder;
  }

  #parse(directory: string, bytes: Uint8Array | null): readonly PatternFile[] {
    const patterns = bytes === null ? [] : parseIgnoreFile(bytes, this.#ignoreCase).toReversed();
    if (patterns.length === 0) return [];
    return [{ base: directory === '' ? '' : `${toBytes(directory)}/`, patterns }];
  }
}

/** The first pattern that matches decides, the strongest file asked first, in each file the last line first. */
function isMatched(files: readonly PatternFile[], path: string, isDirectory: boolean): boolean {
  const bytes = toBytes(path);
  const name = bytes.slice(bytes.lastIndexOf('/') + 1);
  for (const { base, patterns } of files)
    for (const pattern of patterns) {
      if (pattern.directoriesOnly && !isDirectory) continue;
      if (pattern.matches(pattern.nameOnly ? name : bytes.slice(base.length))) return !pattern.negated;
    }
  return false;
}

/** One character per byte, as patterns see a path. */
function toBytes(text: string): string {
  return /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text).toString('latin1');
}

/** Git follows no link in a work tree to read its rules. */
function readUnlinked(path: string): Uint8Array | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES')) return null;
    throw fileSystemError(`cannot read ${path}`, error);
  }
  try {
    return fstatSync(descriptor).isFile() ? readFileSync(descriptor) : null;
  } finally {
    closeSync(descriptor);
  }
}

/** A directory, or a file that the user may not read, is as good as none. */
function readUserFile(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR')) return null;
    throw fileSystemError(`cannot read ${path}`, error);
  }
}
