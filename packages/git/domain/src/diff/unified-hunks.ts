import type { Hunk } from '../text/line-diff.ts';

const LONGEST_HEADING = 80;
const NO_NEWLINE = '\n\\ No newline at end of file\n';

/** The hunks of a patch, with so many lines of context around them; lines are one character per byte. */
export function formatHunks(
  before: readonly string[],
  after: readonly string[],
  hunks: readonly Hunk[],
  contextLines: number,
): readonly string[] {
  let heading = '';
  let searched = -1;
  return groupHunks(hunks, contextLines).map((group) => {
    const shown = extent(group, before.length, after.length, contextLines);
    heading = findHeading(before, shown.beforeStart - 1, searched) ?? heading;
    searched = shown.beforeStart - 1;
    return hunkHeader(shown, heading) + hunkBody(before, after, group, shown);
  });
}

/** Hunks whose contexts touch are shown as one. */
function groupHunks(hunks: readonly Hunk[], contextLines: number): readonly (readonly Hunk[])[] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1);
    const gap = last ? hunk.beforeStart - (last.beforeStart + last.beforeCount) : Infinity;
    if (gap <= 2 * contextLines) groups.at(-1)?.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function extent(
  group: readonly Hunk[],
  beforeLength: number,
  afterLength: number,
  contextLines: number,
): Hunk {
  const first = group[0] as Hunk;
  const last = group.at(-1) as Hunk;
  const lead = Math.min(contextLines, first.beforeStart, first.afterStart);
  const beforeEnd = last.beforeStart + last.beforeCount;
  const afterEnd = last.afterStart + last.afterCount;
  const trail = Math.min(contextLines, beforeLength - beforeEnd, afterLength - afterEnd);
  const beforeStart = first.beforeStart - lead;
  const afterStart = first.afterStart - lead;
  return {
    beforeStart,
    beforeCount: beforeEnd + trail - beforeStart,
    afterStart,
    afterCount: afterEnd + trail - afterStart,
  };
}

/** The nearest line above that looks like the beginning of a function, as git looks for it in any language. */
function findHeading(lines: readonly string[], from: number, searched: number): string | null {
  for (let at = from; at > searched; at--) {
    const line = lines[at] as string;
    if (/^[A-Za-z_$]/.test(line)) return line.slice(0, LONGEST_HEADING).replace(/[ \t\n\r]+$/, '');
  }
  return null;
}

function hunkHeader({ beforeStart, beforeCount, afterStart, afterCount }: Hunk, heading: string): string {
  const range = (start: number, count: number): string =>
    `${count === 0 ? start : start + 1}${count === 1 ? '' : `,${count}`}`;
  const tail = heading === '' ? '' : ` ${heading}`;
  return `@@ -${range(beforeStart, beforeCount)} +${range(afterStart, afterCount)} @@${tail}\n`;
}

function hunkBody(
  before: readonly string[],
  after: readonly string[],
  group: readonly Hunk[],
  shown: Hunk,
): string {
  const mark = (sign: string, lines: readonly string[]): string =>
    lines.map((line) => sign + (line.endsWith('\n') ? line : line + NO_NEWLINE)).join('');
  let text = '';
  let at = shown.beforeStart;
  for (const { beforeStart, beforeCount, afterStart, afterCount } of group) {
    text += mark(' ', before.slice(at, beforeStart));
    text += mark('-', before.slice(beforeStart, beforeStart + beforeCount));
    text += mark('+', after.slice(afterStart, afterStart + afterCount));
    at = beforeStart + beforeCount;
  }
  return text + mark(' ', before.slice(at, shown.beforeStart + shown.beforeCount));
}
