import type { ComparedFile } from './comparison.ts';
import { bestPosition } from './indentation.ts';
import { LineGroup } from './line-groups.ts';

/**
 * Slides each group of changed lines to where git shows it: together with its neighbours if they touch, level with a group
 * of the other file if it can, else as far down as it goes, or where the indentation suggests.
 *
 * @param texts the lines of `file`, for the indentation; `null` to leave groups at the bottom.
 */
export function compactGroups(
  file: ComparedFile,
  other: ComparedFile,
  texts: readonly string[] | null,
): void {
  const group = new LineGroup(file);
  const counterpart = new LineGroup(other);
  do {
    if (!group.isEmpty) placeGroup(group, counterpart, texts);
    counterpart.next();
  } while (group.next());
}

function placeGroup(group: LineGroup, counterpart: LineGroup, texts: readonly string[] | null): void {
  const { highestEnd, canMatch } = slideThrough(group, counterpart);
  if (group.end === highestEnd) return;
  if (canMatch) {
    while (counterpart.isEmpty) moveUp(group, counterpart);
    return;
  }
  if (texts === null) return;
  const end = bestPosition(texts, { highestEnd, lowestEnd: group.end, size: group.size });
  while (group.end > end) moveUp(group, counterpart);
}

/** Up as far as it goes, then down as far as it goes, again as long as the group grows by it. */
function slideThrough(group: LineGroup, counterpart: LineGroup): { highestEnd: number; canMatch: boolean } {
  for (;;) {
    const { size } = group;
    while (group.slideUp()) counterpart.previous();
    const highestEnd = group.end;
    let canMatch = !counterpart.isEmpty;
    while (group.slideDown()) {
      counterpart.next();
      if (!counterpart.isEmpty) canMatch = true;
    }
    if (size === group.size) return { highestEnd, canMatch };
  }
}

function moveUp(group: LineGroup, counterpart: LineGroup): void {
  group.slideUp();
  counterpart.previous();
}
