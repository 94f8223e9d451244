import { GitError } from '@cleveragents/git-ports';

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The records of `-z` output, each ended by a NUL.
 *
 * @throws GitError `GIT_UNSUPPORTED_REPOSITORY` for a path that is no UTF-8: no name of ours could stand for it.
 */
export function nulRecords(bytes: Uint8Array): readonly string[] {
  const records: string[] = [];
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(0, start);
    const end = found < 0 ? bytes.length : found;
    records.push(decode(bytes.subarray(start, end)));
    start = end + 1;
  }
  return records;
}

function decode(bytes: Uint8Array): string {
  try {
    return STRICT.decode(bytes);
  } catch (cause) {
    const shown = Buffer.from(bytes).toString('latin1');
    throw new GitError('GIT_UNSUPPORTED_REPOSITORY', `a name is no UTF-8 (shown as Latin-1): ${shown}`, {
      hint: 'Rename the file.',
      data: { features: ['non-utf8-paths'], latin1: shown },
      cause,
    });
  }
}

/** As input for `-z --stdin`. */
export function nulTerminated(records: Iterable<string>): string {
  return [...records].map((record) => `${record}\0`).join('');
}
