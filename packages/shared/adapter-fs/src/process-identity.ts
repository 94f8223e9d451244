import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasCode } from '@cleveragents/shared-kernel';

/**
 * Names one run of one process, so that a process number that was given out again is not mistaken for its former owner.
 * Where the system does not tell (anywhere but on Linux) `bootId`, `startTime` and `pidNamespace` are empty.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** In clock ticks since boot, as `/proc/<pid>/stat` has it. */
  readonly startTime: string;
  /** 32 hex digits. */
  readonly bootId: string;
  /** A process number means something only inside the namespace (the container) that gave it out. */
  readonly pidNamespace: string;
  /** The host's name, cut to 32 characters of `[A-Za-z0-9._-]`. */
  readonly host: string;
}

/** `unknown`: if it runs, then on another machine or in another container, where we cannot look. */
export type ProcessState = 'alive' | 'dead' | 'unknown';

let own: ProcessIdentity | undefined;

/** This process. */
export function processIdentity(): ProcessIdentity {
  own ??= {
    pid: process.pid,
    startTime: readProcessStat('self')?.startTime ?? '',
    bootId: readIfThere('/proc/sys/kernel/random/boot_id').trim().replaceAll('-', ''),
    pidNamespace: readPidNamespace(),
    host: hostname()
      .replace(/[^A-Za-z0-9._-]/g, '_')
      .slice(0, 32),
  };
  return own;
}

/** Whether the process may still run: also true where nobody can tell, see {@link processState}. */
export function isProcessAlive(identity: ProcessIdentity): boolean {
  return processState(identity) !== 'dead';
}

/** A process that ended and was not yet reaped by its parent is dead; so is each of an earlier boot of this machine. */
export function processState(identity: ProcessIdentity): ProcessState {
  const here = processIdentity();
  if (identity.host !== here.host) return 'unknown';
  if (identity.bootId !== here.bootId) return 'dead';
  if (identity.pidNamespace !== here.pidNamespace) return 'unknown';
  if (!isPidTaken(identity.pid)) return 'dead';
  const running = readProcessStat(identity.pid);
  if (running === null || identity.startTime === '') return 'alive';
  return running.startTime === identity.startTime && !running.ended ? 'alive' : 'dead';
}

/**
 * A file name that tells which process made it and is never given out twice, of `[A-Za-z0-9._+-]`, shorter than 130
 * characters. {@link parseProcessMark} reads the maker back, so that what a killed process left behind is known as such.
 */
export function processMark(): string {
  const { pid, startTime, bootId, pidNamespace, host } = processIdentity();
  const unique = randomBytes(8).toString('hex');
  return `p${pid.toString()}+s${startTime}+b${bootId}+n${pidNamespace}+h${host}+${unique}`;
}

const MARK =
  /^p(?<pid>[1-9]\d*)\+s(?<startTime>\d*)\+b(?<bootId>[0-9a-f]*)\+n(?<pidNamespace>\d*)\+h(?<host>[A-Za-z0-9._-]*)\+[0-9a-f]{16}$/;

/** Null for a name that {@link processMark} did not make. */
export function parseProcessMark(name: string): ProcessIdentity | null {
  const found = MARK.exec(name)?.groups;
  if (found === undefined) return null;
  const { pid = '', startTime = '', bootId = '', pidNamespace = '', host = '' } = found;
  return { pid: Number(pid), startTime, bootId, pidNamespace, host };
}

function isPidTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
    if (hasCode(error, 'EPERM')) return true;
    throw error;
  }
}

/** Null where /proc does not show the process: there is none, it is hidden, or this is not Linux. */
function readProcessStat(pid: number | 'self'): { startTime: string; ended: boolean } | null {
  const stat = readIfThere(`/proc/${pid.toString()}/stat`);
  // The second field, the program's name, may hold spaces and parentheses of its own.
  const [state, ...numbers] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = numbers[18];
  if (startTime === undefined) return null;
  return { startTime, ended: state === 'Z' || state === 'X' };
}

function readPidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '';
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES', 'EPERM', 'ENOTDIR')) return '';
    throw error;
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // ESRCH: the process ended between open and read
    if (hasCode(error, 'ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'ESRCH')) return '';
    throw error;
  }
}
