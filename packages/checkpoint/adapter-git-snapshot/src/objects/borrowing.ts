import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isObjectId, type ObjectId } from '@cleveragents/git-domain';
import { type Durability, replaceFile, syncFolder } from '@cleveragents/shared-adapter-fs';
import { hasCode, sha256Hex } from '@cleveragents/shared-kernel';
import { type GitFolders, gitFoldersOf, headCommitOf, isPartialClone } from '../scan/work-tree.ts';
import { ObjectDatabase } from './object-database.ts';
import { PackedRefs } from './packed-refs.ts';
import { treeOfCommit } from './snapshot-objects.ts';
import { referencesOf } from './tree-codec.ts';

/** Blobs that need not be written because somebody else has them, and keeps them. */
export interface BorrowedBlobs {
  has(id: ObjectId): boolean;
}

/** A ref of ours in the repository, and the work tree that it is for. */
export interface Kept {
  readonly name: string;
  readonly tree: string;
}

const KEEP_KIND = 'cleveragents';
const UNUSABLE = ['EACCES', 'EPERM', 'EROFS', 'EEXIST', 'ENOENT', 'ENOTDIR'] as const;
/** Indexes of packs are held in memory: a repository with more of them is not borrowed from. */
const MOST_INDEX_BYTES = 8 * 1024 * 1024;

/**
 * What the repository that a store lies in has already, and what keeps it there. Borrowed are only blobs that the commit leads to
 * on which a work tree stands when it is first looked at, and a ref of ours, `refs/cleveragents/keep/<store>-<tree>-<commit>`,
 * holds that commit until the last snapshot of the work tree is released. What other stores keep in the same repository is
 * theirs. A store that lies elsewhere borrows nothing: it could be moved away from what it needs.
 */
export class Borrowing {
  readonly #objectsPath: string;
  readonly #durability: Durability;
  #lender: ObjectDatabase | null | undefined;

  /** @param objectsPath of the store. */
  constructor(objectsPath: string, durability: Durability) {
    this.#objectsPath = objectsPath;
    this.#durability = durability;
  }

  /** Where borrowed objects are read from; `null` when none ever were. */
  lender(): ObjectDatabase | null {
    if (this.#lender !== undefined) return this.#lender;
    const line = readIfThere(this.#alternatesPath)?.split('\n')[0] ?? '';
    // Not remembered: the first capture of any process may begin to borrow.
    if (line === '') return null;
    const path = isAbsolute(line) ? line : resolve(this.#objectsPath, line);
    this.#lender = new ObjectDatabase(path, 'process');
    return this.#lender;
  }

  /** For the first look at a work tree. From here on what it gives stays; `null`: everything has to be written. */
  begin(root: string, key: string): BorrowedBlobs | null {
    const folders = gitFoldersOf(root);
    if (folders === null || !this.#isInside(folders) || !isFitToLend(folders)) return null;
    const commit = headCommitOf(folders);
    if (commit === null) return null;
    try {
      const name = `${this.#ownerIn(folders.common)}-${key}-${commit.slice(0, 12)}`;
      this.#remember(name, commit);
      keep(folders.common, name, commit, this.#durability);
      this.#writeAlternates(folders);
      const lender = this.lender();
      return lender && blobsBelow(lender, commit);
    } catch (error) {
      // A repository that cannot be read, or written to, lends nothing.
      if (hasCode(error, 'SNAPSHOT_STORE_CORRUPT', ...UNUSABLE)) return null;
      throw error;
    }
  }

  /**
   * For every later look at a work tree. A ref that somebody removed is made anew while its commit is there. `false`: it is not,
   * and what was borrowed may be gone with it, so that nothing known of the work tree may be relied on.
   */
  isKept(key: string): boolean {
    return this.#records(key).every((name) => this.#isKept(name));
  }

  /** After what was known of the work tree: a crash in between must not leave that behind alone. */
  forget(key: string): void {
    for (const name of this.#records(key)) rmSync(join(this.#recordsPath, name), { force: true });
  }

  #records(key: string): readonly string[] {
    return namesIn(this.#recordsPath).filter((name) => treeOf(name) === key);
  }

  #isKept(name: string): boolean {
    const common = this.#lenderFolder();
    const commit = readIfThere(join(this.#recordsPath, name))?.trim() ?? '';
    if (common === null || !isObjectId(commit)) return false;
    if (readIfThere(keepPath(common, name))?.trim() === commit) return true;
    try {
      // Read afresh: packs that were known may have been pruned.
      treeOfCommit(new ObjectDatabase(join(common, 'objects'), 'process'), commit);
      keep(common, name, commit, this.#durability);
      return true;
    } catch (error) {
      if (hasCode(error, 'SNAPSHOT_STORE_CORRUPT', ...UNUSABLE)) return false;
      throw error;
    }
  }

  /** What this store keeps in the repository, by name. */
  kept(): readonly Kept[] {
    const common = this.#borrowedFrom();
    if (common === null) return [];
    const loose = namesIn(join(common, 'refs', KEEP_KIND, 'keep')).filter((name) => !name.endsWith('.lock'));
    const packed = new PackedRefs(common, this.#durability)
      .names(KEEP_KIND)
      .flatMap((name) => (name.startsWith('keep/') ? [name.slice(5)] : []));
    const owner = this.#ownerIn(common);
    return [...new Set([...loose, ...packed])]
      .filter((name) => name.startsWith(`${owner}-`))
      .map((name) => ({ name, tree: treeOf(name) }));
  }

  /** Lets go of what only work trees needed that are not among the living. */
  letGo(livingKeys: ReadonlySet<string>): void {
    const common = this.#borrowedFrom();
    if (common === null) return;
    for (const name of namesIn(this.#recordsPath))
      if (!livingKeys.has(treeOf(name))) rmSync(join(this.#recordsPath, name), { force: true });
    const packed = new PackedRefs(common, this.#durability);
    for (const { name, tree } of this.kept()) {
      if (livingKeys.has(tree)) continue;
      try {
        packed.remove(KEEP_KIND, `keep/${name}`);
        rmSync(keepPath(common, name), { force: true });
      } catch (error) {
        // A git is at work on its refs; the next sweep lets go.
        if (!hasCode(error, 'SNAPSHOT_STORE_CORRUPT', 'EACCES', 'EPERM', 'EROFS')) throw error;
      }
    }
  }

  get #alternatesPath(): string {
    return join(this.#objectsPath, 'info', 'alternates');
  }

  #isInside({ common }: GitFolders): boolean {
    const inside = relative(realpathSync(common), realpathSync(this.#objectsPath));
    return !inside.startsWith('..') && !isAbsolute(inside);
  }

  get #storePath(): string {
    return dirname(this.#objectsPath);
  }

  get #recordsPath(): string {
    return join(this.#storePath, 'borrowed');
  }

  #lenderFolder(): string | null {
    const line = readIfThere(this.#alternatesPath)?.split('\n')[0] ?? '';
    return line === '' ? null : dirname(resolve(this.#objectsPath, line));
  }

  /** Also when the store forgot it, or is gone itself. */
  #borrowedFrom(): string | null {
    return this.#lenderFolder() ?? repositoryAround(dirname(this.#storePath));
  }

  /** Tells the stores of a repository apart, and stays the same when the repository moves or the store is gone. */
  #ownerIn(common: string): string {
    return sha256Hex(relative(resolved(common), resolved(this.#storePath))).slice(0, 8);
  }

  /** Before the ref is made: it tells a ref that somebody removed from a work tree that never borrowed. */
  #remember(name: string, commit: ObjectId): void {
    mkdirSync(this.#recordsPath, { recursive: true, mode: 0o700 });
    replaceFile(join(this.#recordsPath, name), [Buffer.from(`${commit}\n`)], this.#durability, 0o600);
    syncFolder(this.#recordsPath, this.#durability);
  }

  #writeAlternates({ common }: GitFolders): void {
    if (existsSync(this.#alternatesPath)) return;
    const line = relative(realpathSync(this.#objectsPath), realpathSync(join(common, 'objects')));
    replaceFile(this.#alternatesPath, [Buffer.from(`${line}\n`)], this.#durability, 0o600);
    syncFolder(dirname(this.#alternatesPath), this.#durability);
  }
}

const keepPath = (common: string, name: string): string => join(common, 'refs', KEEP_KIND, 'keep', name);

const treeOf = (name: string): string => name.split('-').at(-2) ?? '';

/** Through links as far as it is there. */
function resolved(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(resolved(dirname(path)), basename(path));
}

/** The git folder that a folder lies in, a few levels up at most; `null` outside. */
function repositoryAround(folder: string, levels = 3): string | null {
  if (existsSync(join(folder, 'HEAD')) && existsSync(join(folder, 'objects'))) return folder;
  return levels === 0 ? null : repositoryAround(dirname(folder), levels - 1);
}

/** Nobody else ever makes or moves a ref of this name, so that git's lock is not needed: a crash would leave it behind. */
function keep(common: string, name: string, commit: ObjectId, durability: Durability): void {
  const path = keepPath(common, name);
  if (readIfThere(path)?.trim() === commit) return;
  mkdirSync(dirname(path), { recursive: true });
  replaceFile(path, [Buffer.from(`${commit}\n`)], durability, 0o644);
  syncFolder(dirname(path), durability);
}

function isFitToLend(folders: GitFolders): boolean {
  const packs = join(folders.common, 'objects', 'pack');
  const indexBytes = namesIn(packs)
    .filter((name) => name.endsWith('.idx'))
    .reduce((sum, name) => sum + (lstatSync(join(packs, name), { throwIfNoEntry: false })?.size ?? 0), 0);
  return indexBytes <= MOST_INDEX_BYTES && !isPartialClone(folders);
}

function blobsBelow(lender: ObjectDatabase, commit: ObjectId): BorrowedBlobs {
  const blobs = new Set<ObjectId>();
  const seen = new Set<ObjectId>();
  const trees = [treeOfCommit(lender, commit)];
  for (let tree = trees.pop(); tree !== undefined; tree = trees.pop()) {
    if (seen.has(tree)) continue;
    seen.add(tree);
    const references = referencesOf(lender.read(tree, 'tree'));
    for (const blob of references.blobs) blobs.add(blob);
    trees.push(...references.trees);
  }
  return { has: (id) => blobs.has(id) && lender.has(id) };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return [];
    throw error;
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}
