import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ObjectId, Signature } from '@cleveragents/git-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import { formatSignature } from './commit-object.ts';
import { fileSystemError } from './file-access.ts';
import type { GitConfig } from './git-config.ts';
import { removeEmptyFolders } from './ref-files.ts';

const LOGGED_FROM_THE_START = /^(?:HEAD$|refs\/(?:heads|remotes|notes)\/)/;

export interface ReflogLine {
  readonly before: ObjectId | null;
  readonly after: ObjectId | null;
  readonly who: Signature;
  readonly message: string;
}

/** Whether the ref gets a reflog if it has none: what `core.logAllRefUpdates` says, or git's default. */
export function startsReflog(name: string, config: GitConfig, bare: boolean): boolean {
  const value = config.get('core.logallrefupdates');
  if (value?.toLowerCase() === 'always') return true;
  return config.boolean('core.logallrefupdates', !bare) && LOGGED_FROM_THE_START.test(name);
}

/** One line at the end of the log; no log is begun unless `create`. */
export function appendReflog(path: string, line: ReflogLine, create: boolean): void {
  const descriptor = openLog(path, create);
  if (descriptor === null) return;
  try {
    append(descriptor, Buffer.from(format(line)));
  } catch (error) {
    throw fileSystemError(`cannot write ${path}`, error);
  } finally {
    closeSync(descriptor);
  }
}

/** The whole line or nothing: half a line would spoil the next one too. */
function append(descriptor: number, line: Buffer): void {
  const { size } = fstatSync(descriptor);
  let isWhole = false;
  try {
    isWhole = writeSync(descriptor, line) === line.length;
  } finally {
    if (!isWhole) ftruncateSync(descriptor, size);
  }
  // what a full disk leaves out it does not always call an error
  if (!isWhole) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
}

/** Null when there is no log and none is to be begun. */
function openLog(path: string, create: boolean): number | null {
  const append = constants.O_WRONLY | constants.O_APPEND;
  for (let attempt = 1; ; attempt++) {
    try {
      return openSync(path, create ? append | constants.O_CREAT : append, 0o666);
    } catch (error) {
      if (!create && hasCode(error, 'ENOENT', 'EISDIR', 'ENOTDIR')) return null;
      if (attempt > 5 || !hasCode(error, 'ENOENT', 'EISDIR'))
        throw fileSystemError(`cannot write ${path}`, error);
      if (hasCode(error, 'EISDIR')) removeEmptyFolders(path);
      else mkdirSync(dirname(path), { recursive: true });
    }
  }
}

function format({ before, after, who, message }: ReflogLine): string {
  const text = message.replace(/\s+/g, ' ').trim();
  const nothing = '0'.repeat((before ?? after)?.length ?? 40);
  return `${before ?? nothing} ${after ?? nothing} ${formatSignature(who)}${text === '' ? '' : `\t${text}`}\n`;
}
