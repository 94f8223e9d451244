import type { LineHit } from '@cleveragents/file-tools-domain';
import { searchableText } from '@cleveragents/file-tools-domain';
import { asBuffer } from './byte-filter.ts';
import { presentLineInBytes } from './literal-bytes.ts';
import type { MatchCollector } from './match-collector.ts';
import type { FoundFile } from './search-thread.ts';

/** Gathers the lines of a file that an expression matches. */
export function addExpressionHits(
  path: string,
  { bytes, numbers, areBytes }: FoundFile,
  collector: MatchCollector,
): void {
  const hits = hitsOf(numbers);
  const shown = { path, bytes: asBuffer(bytes), context: collector.context };
  if (areBytes) collector.add(hits, (hit) => presentLineInBytes(shown, hit, hit.matchStart - hit.lineStart));
  else collector.addFromText(path, searchableText(bytes), hits);
}

function hitsOf(numbers: readonly number[]): readonly LineHit[] {
  const hits: LineHit[] = [];
  for (let index = 0; index < numbers.length; index += 4) {
    const [line = 0, lineStart = 0, lineEnd = 0, column = 0] = numbers.slice(index, index + 4);
    hits.push({ line, lineStart, lineEnd, matchStart: lineStart + column });
  }
  return hits;
}
