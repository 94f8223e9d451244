import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import { type GitFolders, gitFoldersOf, headCommitOf, isPartialClone } from '../scan/work-tree.ts';
import { type Durability, replaceFile, syncFolder } from './durable-file.ts';
import { ObjectDatabase } from './object-database.ts';
import { PackedRefs } from './packed-refs.ts';
import { treeOfCommit } from './snapshot-objects.ts';
import { referencesOf } from './tree-codec.ts';

/** Blobs that need not be written because somebody else has them, and keeps them. */
export interface BorrowedBlobs {
  has(id: ObjectId): boolean;
}

const KEEP_KIND = 'cleveragents';
/** Indexes of packs are held in memory: a repository with more of them is not borrowed from. */
const MOST_INDEX_BYTES = 8 * 1024 * 1024;

/**
 * What the repository that a store lies in has already, and what keeps it there. Borrowed are only blobs that the commit leads to
 * on which a work tree stands when it is first looked at, and a ref of ours, `refs/cleveragents/keep/<tree>-<commit>`, holds that
 * commit until the last snapshot of the work tree is released. A store that lies elsewhere borrows nothing: it could be moved
 * away from what it needs.
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
      this.#keep(folders, `${key}-${commit.slice(0, 12)}`, commit);
      this.#writeAlternates(folders);
      const lender = this.lender();
      return lender && blobsBelow(lender, commit);
    } catch (error) {
      // A repository that cannot be read, or written to, lends nothing.
      if (hasCode(error, 'SNAPSHOT_STORE_CORRUPT', 'EACCES', 'EPERM', 'EROFS', 'EEXIST', 'ENOENT', 'ENOTDIR'))
        return null;
      throw error;
    }
  }

  /** Lets go of what only work trees needed that are not among the living. */
  letGo(livingKeys: ReadonlySet<string>): void {
    if (this.lender() === null) return;
    const common = dirname(
      resolve(this.#objectsPath, readIfThere(this.#alternatesPath)?.split('\n')[0] ?? ''),
    );
    const packed = new PackedRefs(common, this.#durability);
    const loose = namesIn(join(common, 'refs', KEEP_KIND, 'keep')).filter((name) => !name.endsWith('.lock'));
    const names = new Set([
      ...loose,
      ...packed.names(KEEP_KIND).flatMap((name) => (name.startsWith('keep/') ? [name.slice(5)] : [])),
    ]);
    for (const name of names) {
      if (livingKeys.has(name.slice(0, name.lastIndexOf('-')))) continue;
      try {
        packed.remove(KEEP_KIND, `keep/${name}`);
        rmSync(join(common, 'refs', KEEP_KIND, 'keep', name), { force: true });
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

  /** Nobody else ever makes or moves a ref of this name, so that git's lock is not needed: a crash would leave it behind. */
  #keep({ common }: GitFolders, name: string, commit: ObjectId): void {
    const path = join(common, 'refs', KEEP_KIND, 'keep', name);
    if (readIfThere(path)?.trim() === commit) return;
    mkdirSync(dirname(path), { recursive: true });
    replaceFile(path, [Buffer.from(`${commit}\n`)], this.#durability, 0o644);
    syncFolder(dirname(path), this.#durability);
  }

  #writeAlternates({ common }: GitFolders): void {
    if (existsSync(this.#alternatesPath)) return;
    const line = relative(realpathSync(this.#objectsPath), realpathSync(join(common, 'objects')));
    replaceFile(this.#alternatesPath, [Buffer.from(`${line}\n`)], this.#durability, 0o600);
    syncFolder(dirname(this.#alternatesPath), this.#durability);
  }
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
