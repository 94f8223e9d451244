import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import {
  type ConfigEntry,
  isObjectId,
  type ObjectId,
  parseGitConfig,
  readIndex,
} from '@cleveragents/git-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import { PackedRefs } from '../objects/packed-refs.ts';

/** What git knows of a directory: which paths it tracks, and which it is told to ignore besides the `.gitignore` files. */
export interface WorkTree {
  /** Texts of ignore files that hold for the whole tree, weakest first. */
  readonly ignoreTexts: readonly string[];
  readonly tracked: TrackedPaths;
}

/** What a tracked path is cannot be ignored. Read when something that is ignored is met: mostly nothing is. */
export class TrackedPaths {
  readonly #read: () => ReadonlySet<string>;
  #paths: ReadonlySet<string> | undefined;
  #directories: ReadonlySet<string> | undefined;

  constructor(read: () => ReadonlySet<string>) {
    this.#read = read;
  }

  has(path: string): boolean {
    this.#paths ??= this.#read();
    return this.#paths.has(path);
  }

  hasBelow(path: string): boolean {
    this.#paths ??= this.#read();
    this.#directories ??= directoriesOf(this.#paths);
    return this.#directories.has(path);
  }
}

function directoriesOf(paths: ReadonlySet<string>): ReadonlySet<string> {
  const directories = new Set<string>();
  for (const path of paths)
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const directory = path.slice(0, slash);
      if (directories.has(directory)) break;
      directories.add(directory);
    }
  return directories;
}

const UNREADABLE_INDEXES = [
  'GIT_PATH_NOT_UTF8',
  'GIT_INDEX_CORRUPT',
  'GIT_INDEX_VERSION_UNSUPPORTED',
  'GIT_INDEX_SPLIT',
  'GIT_INDEX_SPARSE',
  'GIT_INDEX_EXTENSION_UNSUPPORTED',
] as const;
const indexes = new Map<string, { readonly stamp: string; readonly tracked: TrackedPaths }>();
const NOTHING_TRACKED = new TrackedPaths(() => new Set());

/** A directory that is no work tree's root has `.gitignore` files all the same; it tracks nothing. */
export function readWorkTree(root: string): WorkTree {
  const folders = gitFoldersOf(root);
  if (folders === null) return { ignoreTexts: [], tracked: NOTHING_TRACKED };
  const { gitFolder, common } = folders;
  const userFile = userIgnoreFile(root, common);
  const ignoreTexts = [userFile, join(common, 'info', 'exclude')].map((path) => readIfThere(path) ?? '');
  return { ignoreTexts, tracked: trackedPaths(join(gitFolder, 'index')) };
}

/** Of a work tree: its own folder, and the one that it shares with the other work trees of the repository. */
export interface GitFolders {
  readonly gitFolder: string;
  readonly common: string;
}

/** `null`: the directory is no root of a work tree. */
export function gitFoldersOf(root: string): GitFolders | null {
  const gitFolder = gitFolderOf(root);
  if (gitFolder === null) return null;
  const common = resolve(gitFolder, readIfThere(join(gitFolder, 'commondir'))?.trim() ?? '.');
  return { gitFolder, common };
}

/** The commit that the work tree stands on; `null` where that cannot be told from files alone. */
export function headCommitOf({ gitFolder, common }: GitFolders): ObjectId | null {
  const head = readIfThere(join(gitFolder, 'HEAD'))?.trim() ?? '';
  if (isObjectId(head)) return head;
  const [, kind, name] = /^ref: refs\/([^/]+)\/(.+)$/.exec(head) ?? [];
  if (kind === undefined || name === undefined) return null;
  const id = readIfThere(join(common, 'refs', kind, name))?.trim() ?? '';
  return isObjectId(id) ? id : new PackedRefs(common, 'process').read(kind, name);
}

/** Whether the objects of its commits may be fetched, and let go of again, as git sees fit. */
export function isPartialClone({ common }: GitFolders): boolean {
  return configEntries(join(common, 'config')).some(({ name }) => name === 'extensions.partialclone');
}

function gitFolderOf(root: string): string | null {
  const path = join(root, '.git');
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) return null;
  if (status.isDirectory()) return path;
  const [, target] = /^gitdir: (.+)$/m.exec(readIfThere(path) ?? '') ?? [];
  return target === undefined ? null : resolve(root, target);
}

/** `core.excludesFile` of the repository, else of the user, else git's default place. */
function userIgnoreFile(root: string, common: string): string {
  const configFolder = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const userConfigs = process.env['GIT_CONFIG_GLOBAL'] ?? [
    join(configFolder, 'git', 'config'),
    join(homedir(), '.gitconfig'),
  ];
  const files = [userConfigs, join(common, 'config')].flat();
  const named = files
    .flatMap((file) => configEntries(file))
    .filter(({ name }) => name === 'core.excludesfile')
    .at(-1)?.value;
  if (named == null || named === '') return join(configFolder, 'git', 'ignore');
  const expanded = named.replace(/^~(?=\/)/, homedir());
  return isAbsolute(expanded) ? expanded : join(root, expanded);
}

function configEntries(path: string): readonly ConfigEntry[] {
  try {
    return parseGitConfig(readIfThere(path) ?? '');
  } catch (error) {
    // A config that git could not read either names no ignore file.
    if (hasCode(error, 'GIT_CONFIG_CORRUPT')) return [];
    throw error;
  }
}

/** An index that we cannot read tracks nothing: what is ignored stays uncovered, and so untouched. */
function trackedPaths(path: string): TrackedPaths {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) return NOTHING_TRACKED;
  const stamp = `${status.ino} ${status.size} ${status.mtimeMs} ${status.ctimeMs}`;
  const known = indexes.get(path);
  if (known?.stamp === stamp) return known.tracked;
  const tracked = new TrackedPaths(() => readIndexPaths(path));
  indexes.set(path, { stamp, tracked });
  return tracked;
}

function readIndexPaths(path: string): ReadonlySet<string> {
  try {
    const view = readIndex(readFileSync(path));
    return new Set(Array.from({ length: view.entryCount }, (_, at) => view.path(at)));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES', ...UNREADABLE_INDEXES)) return new Set();
    throw error;
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR')) return null;
    throw error;
  }
}
