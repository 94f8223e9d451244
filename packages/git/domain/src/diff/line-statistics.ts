import type { TreeReader } from '../objects.ts';
import { diffLines, type LineDiffOptions } from '../text/line-diff.ts';
import { isBinary, splitLines } from '../text/lines.ts';
import type { TreeChange } from '../tree-diff.ts';
import { contentOf } from './file-content.ts';

/** As `git diff` compares unless told otherwise. */
export const AS_GIT_DIFF: LineDiffOptions = { algorithm: 'myers', indentHeuristic: true };

export interface LineStatistics {
  readonly insertions: number;
  readonly deletions: number;
  /** No lines were counted, because one of both versions is binary. */
  readonly binary: boolean;
}

/** How many lines a change put in and took out: what `git diff --numstat -M` says. */
export async function lineStatistics(
  reader: Pick<TreeReader, 'readBlob'>,
  { before, after }: Pick<TreeChange, 'before' | 'after'>,
): Promise<LineStatistics> {
  const [old, now] = await Promise.all([contentOf(reader, before), contentOf(reader, after)]);
  if (isBinary(old) || isBinary(now)) return { insertions: 0, deletions: 0, binary: true };
  if (before?.id === after?.id) return { insertions: 0, deletions: 0, binary: false };
  const hunks = diffLines(splitLines(old), splitLines(now), AS_GIT_DIFF);
  return {
    insertions: hunks.reduce((sum, { afterCount }) => sum + afterCount, 0),
    deletions: hunks.reduce((sum, { beforeCount }) => sum + beforeCount, 0),
    binary: false,
  };
}
