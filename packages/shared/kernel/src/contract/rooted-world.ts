import { deepStrictEqual, ok, rejects } from 'node:assert/strict';
import type { RootedFileErrorCode } from '../rooted-file.errors.ts';
import type { RootedFileSystem, WalkEntry, WalkOptions } from '../rooted-file-system.ts';

/** What a file system under test may have beside files, directories and links. */
export type RootedCapability =
  /** One file under two names. */
  | 'hardLinks'
  /** FIFOs, which block whoever opens them without care. */
  | 'fifos'
  /** `\` separates nothing, and a name may hold any character but `/` and NUL. */
  | 'posixNames';

/**
 * A root and what lies beside it, arranged behind the port's back. Paths are relative to the world: the root is
 * `sandbox`, and everything else is out of its reach.
 */
export interface RootedWorld {
  /** Opened on `sandbox`. */
  readonly files: RootedFileSystem;
  /** As a link's target would have it. */
  absolute(path: string): string;
  /** Makes parents; `mode` is exact. */
  plantFile(path: string, contents: string | Uint8Array, mode?: number): Promise<void>;
  plantDirectory(path: string): Promise<void>;
  plantLink(path: string, target: string): Promise<void>;
  /** Needs capability `hardLinks`. */
  plantHardLink(path: string, existing: string): Promise<void>;
  /** Needs capability `fifos`. */
  plantFifo(path: string): Promise<void>;
  /** `undefined` where there is nothing; a link is not followed and answers its target. */
  contents(path: string): Promise<string | undefined>;
  /** All twelve bits. */
  mode(path: string): Promise<number>;
  /** What lies in a directory, in any order. */
  names(path: string): Promise<readonly string[]>;
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export const WHOLE_WALK: WalkOptions = { recursive: true, maxEntries: 1000, maxDepth: 50, sizes: true };

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

export async function walked(
  files: RootedFileSystem,
  path: string,
  options: Partial<WalkOptions> = {},
): Promise<WalkEntry[]> {
  return collect(files.walk(path, { ...WHOLE_WALK, ...options }));
}

export async function readText(files: RootedFileSystem, path: string): Promise<string> {
  return textOf((await files.read(path, { maxBytes: 100_000 })).bytes);
}

type Operation = (files: RootedFileSystem, path: string) => Promise<unknown>;

export const LOOKING: Readonly<Record<string, Operation>> = {
  status: (files, path) => files.status(path),
  read: (files, path) => files.read(path, { maxBytes: 100 }),
  stream: (files, path) => collect(files.stream(path)),
  walk: (files, path) => walked(files, path),
  hostPath: (files, path) => files.hostPath(path),
};

export const CHANGING: Readonly<Record<string, Operation>> = {
  write: (files, path) => files.write(path, bytesOf('evil'), { makeParents: true }),
  makeDirectory: (files, path) => files.makeDirectory(path),
};

export const EVERY_OPERATION: Readonly<Record<string, Operation>> = {
  ...LOOKING,
  ...CHANGING,
  fingerprint: (files, path) => files.fingerprint(path, { maxBytes: 100 }),
  remove: (files, path) => files.remove(path),
  entryType: (files, path) => files.entryType(path),
};

/** Refused with that code by each operation, in a message that names nothing of the world outside. */
export async function refusedBy(
  operations: Readonly<Record<string, Operation>>,
  world: RootedWorld,
  path: string,
  code: RootedFileErrorCode,
): Promise<void> {
  for (const [name, operation] of Object.entries(operations)) {
    await rejects(operation(world.files, path), (error: Error & { code?: string; hint?: string }) => {
      deepStrictEqual(error.code, code, `${name}(${JSON.stringify(path)}): ${error.message}`);
      const told = `${error.message} ${error.hint ?? ''}`;
      if (code === 'PATH_TRAVERSAL') {
        ok(told.includes('traversal'), told);
        ok(!told.includes('secret'), told);
      }
      ok(!told.includes(world.absolute('')), `${name} tells where the root lies: ${told}`);
      return true;
    });
  }
}

/** Sorted; in an array of this realm, whoever made the other. */
export async function namesIn(world: RootedWorld, path: string): Promise<string[]> {
  return [...(await world.names(path))].sort();
}
