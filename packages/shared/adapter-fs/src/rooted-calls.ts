import * as fs from 'node:fs';

/**
 * The system calls that access below a root is made of. Synchronous, because a promise costs several times what such a
 * call does, and because nothing of this process can come between a check and what relies on it.
 * Collected here so that a test can make one of them fail as a full or read-only disk would.
 */
export const nodeCalls = {
  access: fs.accessSync,
  close: fs.closeSync,
  fchmod: fs.fchmodSync,
  fchown: fs.fchownSync,
  fstat: (descriptor: number): fs.Stats => fs.fstatSync(descriptor),
  lstat: (path: string): fs.Stats => fs.lstatSync(path),
  lstatIfThere: (path: string): fs.Stats | undefined => fs.lstatSync(path, { throwIfNoEntry: false }),
  mkdir: (path: string): void => fs.mkdirSync(path),
  open: (path: string, flags: number, mode?: number): number => fs.openSync(path, flags, mode),
  opendir: fs.opendirSync,
  read: (descriptor: number, buffer: Uint8Array, offset: number, length: number): number =>
    fs.readSync(descriptor, buffer, offset, length, null),
  readdir: (path: string): fs.Dirent[] => fs.readdirSync(path, { withFileTypes: true }),
  readlink: (path: string): string => fs.readlinkSync(path),
  realpath: (path: string): string => fs.realpathSync.native(path),
  rename: fs.renameSync,
  rmdir: (path: string): void => fs.rmdirSync(path),
  unlink: fs.unlinkSync,
  write: (descriptor: number, bytes: Uint8Array, offset: number): number =>
    fs.writeSync(descriptor, bytes, offset),
};

export type SystemCalls = typeof nodeCalls;
