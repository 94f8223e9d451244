import { chmodSync, closeSync, constants, existsSync, fchmodSync, openSync, readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { hasCode } from '@cleveragents/shared-kernel';

/** A folder held open: on Linux its entries are reached through it, wherever its name leads meanwhile. */
export interface PinnedDirectory {
  /** A path to one of its entries. */
  address(name: Buffer): Buffer;
  entries(): readonly { readonly name: Buffer; readonly isDirectory: boolean }[];
  /** Gives its owner all permissions. */
  loosen(): void;
  close(): void;
}

const OWNER_ONLY = 0o700;
/** Missing from node:fs: open without any permission on the thing itself. The same number on every Linux that Node runs on. */
const O_PATH = 0o10000000;
const canAddressByDescriptor = process.platform === 'linux' && existsSync('/proc/self/fd');

/** @throws the system's error: `ENOTDIR` or `ELOOP` if the path does not name a folder itself, a link to one included. */
export function pinDirectory(path: Buffer): PinnedDirectory {
  const descriptor = openDirectory(path);
  const base = canAddressByDescriptor ? byDescriptor(descriptor) : path;
  const address = (name: Buffer): Buffer => Buffer.concat([base, Buffer.from(sep), name]);
  return {
    address,
    entries: () =>
      readdirSync(base, { withFileTypes: true, encoding: 'buffer' }).map((entry) => ({
        name: entry.name,
        isDirectory: entry.isDirectory(),
      })),
    loosen: () => {
      fchmodSync(descriptor, OWNER_ONLY);
    },
    close: () => {
      closeSync(descriptor);
    },
  };
}

function openDirectory(path: Buffer): number {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  try {
    return openSync(path, flags);
  } catch (error) {
    if (!hasCode(error, 'EACCES')) throw error;
  }
  loosenByName(path);
  return openSync(path, flags);
}

/** Gives the owner of a folder all permissions on it. A link is not followed on Linux. */
export function loosenByName(path: Buffer): void {
  if (!canAddressByDescriptor) {
    chmodSync(path, OWNER_ONLY);
    return;
  }
  const descriptor = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    // fchmod refuses such a descriptor; chmod through its address does not.
    chmodSync(byDescriptor(descriptor), OWNER_ONLY);
  } finally {
    closeSync(descriptor);
  }
}

function byDescriptor(descriptor: number): Buffer {
  return Buffer.from(`/proc/self/fd/${descriptor.toString()}`);
}
