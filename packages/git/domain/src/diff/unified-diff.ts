import { concatBytes, encodeUtf8 } from '../bytes.ts';
import type { Leaf, TreeReader } from '../objects.ts';
import { quotePrefixed } from '../quoting.ts';
import type { FileChange } from '../rename/detect-renames.ts';
import { diffLines } from '../text/line-diff.ts';
import { isBinary, joinLines, splitLines } from '../text/lines.ts';
import { contentOf } from './file-content.ts';
import { AS_GIT_DIFF } from './line-statistics.ts';
import { formatHunks } from './unified-hunks.ts';

export interface UnifiedDiffOptions {
  /** Unchanged lines around each change: 3 unless given. */
  readonly contextLines?: number;
  /** How many digits of an object id are shown: 40 unless given, because only the store can tell how few are enough. */
  readonly idDigits?: number;
}

const NO_ID = '0'.repeat(40);

/**
 * The changes as `git diff -M --full-index` prints them, for `git apply` or to be read. Bytes rather than a string, because
 * the lines of files are in whatever encoding they are. Of binary files it says only that they differ.
 */
export async function unifiedDiff(
  reader: Pick<TreeReader, 'readBlob'>,
  changes: readonly FileChange[],
  options: UnifiedDiffOptions = {},
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (const change of changes)
    for (const one of withoutTypeChange(change)) parts.push(await fileDiff(reader, one, options));
  return concatBytes(parts);
}

/** A file that became a link (or the like) is shown as taken away and made anew. */
function withoutTypeChange(change: FileChange): readonly FileChange[] {
  const { before, after } = change;
  if (!before || !after || before.mode.slice(0, 3) === after.mode.slice(0, 3)) return [change];
  return [
    { ...change, after: null },
    { ...change, before: null },
  ];
}

async function fileDiff(
  reader: Pick<TreeReader, 'readBlob'>,
  change: FileChange,
  { contextLines = 3, idDigits = 40 }: UnifiedDiffOptions,
): Promise<Uint8Array> {
  const { before, after } = change;
  const [oldPath, newPath] = [change.renamedFrom ?? change.path, change.path];
  const [a, b] = [quotePrefixed('a/', oldPath), quotePrefixed('b/', newPath)];
  const head = `diff --git ${a} ${b}\n${modeLines(before, after)}${renameLines(change)}`;
  if (before?.id === after?.id) return encodeUtf8(head);
  const [old, now] = await Promise.all([contentOf(reader, before), contentOf(reader, after)]);
  const indexed = head + indexLine(before, after, idDigits);
  const labels = [before ? a : '/dev/null', after ? b : '/dev/null'] as const;
  if (isBinary(old) || isBinary(now))
    return encodeUtf8(`${indexed}Binary files ${labels[0]} and ${labels[1]} differ\n`);
  const [oldLines, newLines] = [splitLines(old), splitLines(now)];
  const hunks = formatHunks(oldLines, newLines, diffLines(oldLines, newLines, AS_GIT_DIFF), contextLines);
  if (hunks.length === 0) return encodeUtf8(indexed);
  // a tab ends a name with spaces, so that a patch program does not take the rest for a date
  const name = (label: string): string => label + (label.includes(' ') ? '\t' : '');
  return concatBytes([
    encodeUtf8(`${indexed}--- ${name(labels[0])}\n+++ ${name(labels[1])}\n`),
    joinLines(hunks),
  ]);
}

function modeLines(before: Leaf | null, after: Leaf | null): string {
  if (before === null) return after === null ? '' : `new file mode ${after.mode}\n`;
  if (after === null) return `deleted file mode ${before.mode}\n`;
  return before.mode === after.mode ? '' : `old mode ${before.mode}\nnew mode ${after.mode}\n`;
}

function renameLines({ renamedFrom, path, similarity }: FileChange): string {
  if (renamedFrom === null) return '';
  const names = `rename from ${quotePrefixed('', renamedFrom)}\nrename to ${quotePrefixed('', path)}\n`;
  return `similarity index ${similarity}%\n${names}`;
}

function indexLine(before: Leaf | null, after: Leaf | null, digits: number): string {
  const ids = [before, after].map((leaf) => (leaf?.id ?? NO_ID).slice(0, digits)).join('..');
  return `index ${ids}${before && before.mode === after?.mode ? ` ${before.mode}` : ''}\n`;
}
