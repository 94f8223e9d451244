import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createHash } from 'node:crypto';
import { removeTree, syncDirectory } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import { type Change, type Entry } from './entry.ts';
import { nameOfChanges, type ReadSide } from './tree-difference.ts';

/**
 * Changes with the bytes of both sides, in a folder that people can look into: `before/` and `after/` hold the files at
 * their paths, `changes.json` says the rest. Keeps what an undo needs, and what was rescued.
 */
export interface ChangeFolder {
  readonly path: string;
  /** Names the changes: 64 hex digits. */
  readonly id: string;
  readonly planId: string;
  readonly changes: readonly Change[];
  /** What the writer wrote beside. */
  readonly notes: Readonly<Record<string, unknown>>;
  readonly read: ReadSide;
}

export interface NewChangeFolder {
  readonly planId: string;
  readonly changes: readonly Change[];
  readonly read: ReadSide;
  readonly notes: Readonly<Record<string, unknown>>;
}

const RECORD = 'changes.json';
/** How the name of a folder ends until it is whole. */
export const HALF_WRITTEN = '.new';
/** Of more files than that (an agent's `npm install`) each would have to wait for the disk; a kill loses none of them. */
const MOST_SYNCED = 2000;
const VERSION = 1;

/** There as a whole when this resolves, or not at all. @throws Error when the bytes are not those of the changes. */
export async function writeChangeFolder(path: string, folder: NewChangeFolder): Promise<void> {
  const parent = dirname(path);
  const durable = folder.changes.length <= MOST_SYNCED;
  const prepared = `${path}${HALF_WRITTEN}`;
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  await removeTree(prepared, { within: parent });
  try {
    mkdirSync(prepared, { mode: 0o700 });
    for (const change of folder.changes)
      for (const side of ['before', 'after'] as const)
        writeSide(join(prepared, side, change.path), change, side, { read: folder.read, durable });
    const { planId, changes, notes } = folder;
    const record = { version: VERSION, id: nameOfChanges(changes), planId, changes, notes };
    writeNew(join(prepared, RECORD), Buffer.from(JSON.stringify(record, null, 1)), true);
    renameSync(prepared, path);
  } catch (error) {
    await removeTree(prepared, { within: parent });
    throw error;
  }
  await syncDirectory(parent);
}

/** Null when there is none. */
export function readChangeFolder(path: string): ChangeFolder | null {
  let record: {
    version: number;
    id: string;
    planId: string;
    changes: Change[];
    notes: Record<string, unknown>;
  };
  try {
    record = JSON.parse(readFileSync(join(path, RECORD), 'utf8')) as typeof record;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
  if (record.version !== VERSION) throw new Error(`${path} was written by another version`);
  const { id, planId, changes, notes } = record;
  const read: ReadSide = (change, side) => readSide(join(path, side, change.path), change[side]);
  return { path, id, planId, changes, notes, read };
}

/** Names of change folders in a folder, sorted; a missing one has none. */
export function listChangeFolders(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => !name.endsWith(HALF_WRITTEN) && existsSync(join(path, name, RECORD)))
    .sort();
}

function writeSide(
  path: string,
  change: Change,
  side: 'before' | 'after',
  { read, durable }: { readonly read: ReadSide; readonly durable: boolean },
): void {
  const entry = change[side];
  if (entry === null) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (entry.kind === 'directory') mkdirSync(path, { recursive: true, mode: 0o700 });
  else if (entry.kind === 'link') symlinkSync(entry.target, path);
  else {
    const bytes = read(change, side);
    assertBytes(bytes, entry, path);
    writeNew(path, bytes, durable);
    chmodSync(path, (entry.mode & 0o700) | 0o400); // for people; what counts is in the record
  }
}

function readSide(path: string, entry: Entry | null): Uint8Array {
  if (entry === null || entry.kind === 'directory') return new Uint8Array();
  if (entry.kind === 'link') return Buffer.from(entry.target);
  const bytes = readFileSync(path);
  assertBytes(bytes, entry, path);
  return bytes;
}

function assertBytes(bytes: Uint8Array, { sha256 }: { readonly sha256: string }, path: string): void {
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new WrongBytes(path);
}

/** Bytes are not those that were recorded: somebody wrote in between. */
export class WrongBytes extends Error {
  constructor(path: string) {
    super(`${path} does not hold what was recorded of it`);
  }
}

function writeNew(path: string, bytes: Uint8Array, durable: boolean): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(descriptor, bytes);
    if (durable) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
