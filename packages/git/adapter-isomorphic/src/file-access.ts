import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { GitError } from '@cleveragents/git-ports';
import { hasCode, messageOf } from '@cleveragents/shared-kernel';

/** What the system says of a path that leads to nothing. */
const NOTHING_THERE = ['ENOENT', 'ENOTDIR'] as const;

/** Null when there is nothing at the path. */
export function readBytesIfThere(path: string): Buffer | null {
  return orNull(path, () => readFileSync(path));
}

export function readTextIfThere(path: string): string | null {
  return orNull(path, () => readFileSync(path, 'utf8'));
}

/** Follows links. */
export function statIfThere(path: string): Stats | null {
  return orNull(path, () => statSync(path));
}

/** Empty when there is no such directory. */
export function namesIn(directory: string): readonly string[] {
  return orNull(directory, () => readdirSync(directory)) ?? [];
}

function orNull<Value>(path: string, read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, ...NOTHING_THERE)) return null;
    throw fileSystemError(`cannot read ${path}`, error);
  }
}

/** What the operating system refused, as an error of ours; one that is ours already stays as it is. */
export function fileSystemError(what: string, cause: unknown): unknown {
  if (cause instanceof GitError || !hasSystemCode(cause)) return cause;
  return new GitError('GIT_FILE_SYSTEM', `${what}: ${messageOf(cause)}`, {
    data: { systemCode: cause.code },
    cause,
  });
}

function hasSystemCode(error: unknown): error is { code: string } {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code);
}
