import type { Brand } from '@cleveragents/shared-kernel';

/** Name of a git object: lower-case hex digits, 40 of SHA-1 or, in repositories of that format, 64 of SHA-256. */
export type ObjectId = Brand<string, 'ObjectId'>;

export function isObjectId(value: string): value is ObjectId {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value);
}

/** @throws Error for anything else: callers validate what people type before they come here. */
export function parseObjectId(value: string): ObjectId {
  if (!isObjectId(value)) throw new Error(`not an object id: ${JSON.stringify(value)}`);
  return value;
}

/** The tree without entries; git knows it whether or not it was ever written. */
export const EMPTY_TREE_ID = parseObjectId('4b825dc642cb6eb9a060e54bf8d69288fbee4904');

/** Modes of what is no directory: file, executable file, symbolic link, gitlink (a submodule's commit). */
export type LeafMode = '100644' | '100755' | '120000' | '160000';
export type TreeMode = '040000';
export type Mode = LeafMode | TreeMode;

/** One entry of a tree object. `name` has no `/`; entries of a tree are in git's order (see `compareTreeEntries`). */
export interface TreeEntry {
  readonly name: string;
  readonly mode: Mode;
  readonly id: ObjectId;
}

/** What lies at a path of a tree, when it is no directory. */
export interface Leaf {
  readonly mode: LeafMode;
  readonly id: ObjectId;
}

/** A person and an instant, as git writes them into a commit. */
export interface Signature {
  readonly name: string;
  readonly email: string;
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly timestampSeconds: number;
  /** Minutes east of UTC: +60 for `+0100`. */
  readonly offsetMinutes: number;
}

export interface Commit {
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  readonly author: Signature;
  readonly committer: Signature;
  /** Whole message; ends in a line feed when git's own tools wrote it. */
  readonly message: string;
}

/** Reads the objects that a diff or a merge asks for. Each call may be slow: callers ask for what they need, once. */
export interface TreeReader {
  /** Entries in git's order. @throws when the object is missing or no tree. */
  readTree(id: ObjectId): Promise<readonly TreeEntry[]>;
  /** The bytes of a file or the target of a link. @throws when the object is missing or no blob. */
  readBlob(id: ObjectId): Promise<Uint8Array>;
}

/** Also keeps what a merge makes. Writing an object that is there already is fine. */
export interface TreeWriter {
  writeTree(entries: readonly TreeEntry[]): Promise<ObjectId>;
  writeBlob(bytes: Uint8Array): Promise<ObjectId>;
}

/** Reads the history that merge bases are found in. */
export interface CommitReader {
  readCommit(id: ObjectId): Promise<Commit>;
}
