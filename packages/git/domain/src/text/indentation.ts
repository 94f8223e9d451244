// The weights are those that git found by experiment; only their proportions matter.
const DEEPEST_INDENT = 200;
const MOST_BLANK_LINES = 20;
const FARTHEST_SLIDE = 100;
const START_OF_FILE = 1;
const END_OF_FILE = 21;
const ANY_BLANK = -30;
const BLANK_BELOW = 6;
const INDENTED = { plain: -4, withBlank: 10 };
const OUTDENTED = { plain: 24, withBlank: 17 };
const DEDENTED = { plain: 23, withBlank: 17 };
const INDENT_WEIGHT = 60;
const BLANK = -1;

interface Score {
  readonly indent: number;
  readonly penalty: number;
}

/**
 * Where a group of changed lines that can slide reads best: git's indent heuristic. A group begins and ends with a split of
 * the text; splits above a blank line, or where a block begins, are better than others.
 *
 * @returns the end of the group at the best place; the lowest of equals.
 */
export function bestPosition(
  lines: readonly string[],
  { highestEnd, lowestEnd, size }: { highestEnd: number; lowestEnd: number; size: number },
): number {
  const first = Math.max(highestEnd, lowestEnd - size - 1, lowestEnd - FARTHEST_SLIDE);
  let best = first;
  let bestScore: Score | null = null;
  for (let end = first; end <= lowestEnd; end++) {
    const below = scoreSplit(lines, end);
    const above = scoreSplit(lines, end - size);
    const score = { indent: below.indent + above.indent, penalty: below.penalty + above.penalty };
    if (bestScore === null || compareScores(score, bestScore) <= 0) {
      best = end;
      bestScore = score;
    }
  }
  return best;
}

function compareScores(a: Score, b: Score): number {
  return INDENT_WEIGHT * Math.sign(a.indent - b.indent) + a.penalty - b.penalty;
}

/** How bad it is to split the text above line `at`. */
function scoreSplit(lines: readonly string[], at: number): Score {
  const own = at < lines.length ? indentOf(lines[at] as string) : BLANK;
  const above = nearestText(lines, at - 1, -1);
  const below = nearestText(lines, at + 1, 1);
  const blankBelow = own === BLANK ? 1 + below.blank : 0;
  const blank = above.blank + blankBelow;
  const indent = own === BLANK ? below.indent : own;
  const penalty =
    (above.indent === BLANK && above.blank === 0 ? START_OF_FILE : 0) +
    (at >= lines.length ? END_OF_FILE : 0) +
    ANY_BLANK * blank +
    BLANK_BELOW * blankBelow +
    indentPenalty(indent, above.indent, below.indent, blank > 0);
  return { indent, penalty };
}

function indentPenalty(indent: number, above: number, below: number, hasBlank: boolean): number {
  if (indent === BLANK || above === BLANK || indent === above) return 0;
  const weights = indent > above ? INDENTED : below !== BLANK && below > indent ? OUTDENTED : DEDENTED;
  return hasBlank ? weights.withBlank : weights.plain;
}

/** The indent of the next line that is not blank, and how many blank ones come before it. */
function nearestText(
  lines: readonly string[],
  from: number,
  step: 1 | -1,
): { indent: number; blank: number } {
  let blank = 0;
  for (let at = from; at >= 0 && at < lines.length; at += step) {
    const indent = indentOf(lines[at] as string);
    if (indent !== BLANK) return { indent, blank };
    if (++blank === MOST_BLANK_LINES) return { indent: 0, blank };
  }
  return { indent: BLANK, blank };
}

function indentOf(line: string): number {
  let indent = 0;
  for (const character of line) {
    if (character === ' ') indent++;
    else if (character === '\t') indent += 8 - (indent % 8);
    else if (character !== '\n' && character !== '\r') return indent;
    if (indent >= DEEPEST_INDENT) return DEEPEST_INDENT;
  }
  return BLANK;
}
