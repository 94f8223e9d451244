import boxen from 'boxen';
import type { ApplySummary, CleanupSummary } from '@cleveragents/sandbox-domain';
import type { Terminal } from '../terminal.ts';
import { renderReasons } from './file-list.ts';
import { plural, printable } from './text.ts';

const PANEL_WIDTH = 56;
const LABEL_WIDTH = 12;

/** What an apply leaves to say: what stayed behind, and the panels. */
export function renderApplied(terminal: Terminal, summary: ApplySummary): string {
  const omitted = renderReasons('Not in the commit, kept in the sandbox:', summary.omittedFiles);
  return `${omitted}${renderApplySummary(terminal, summary)}`;
}

/** What changed in the repository itself while the plan was worked on, on standard error. */
export function warnOfDrift(terminal: Terminal, { drift }: ApplySummary): void {
  for (const sentence of drift)
    terminal.error(`${terminal.colours.yellow('warning:')} ${printable(sentence)}\n`);
}

/** The two panels and the last line that an apply ends with. */
export function renderApplySummary(terminal: Terminal, summary: ApplySummary): string {
  const { colours, hasUnicode } = terminal;
  const tick = colours.green(hasUnicode ? '✓' : '*');
  const panels = [
    panel(
      terminal,
      'Apply Summary',
      summaryRows(summary)
        .map(([label, value]) => row(label, value))
        .join('\n'),
    ),
    summary.cleanup === null
      ? panel(terminal, 'Sandbox Cleanup', 'The sandbox was kept.')
      : panel(
          terminal,
          'Sandbox Cleanup',
          cleanupLines(terminal, summary.strategy, summary.cleanup).join('\n'),
        ),
  ];
  return `${panels.join('\n')}\n${tick} ${colours.green('OK')}  ${closingWords(summary)}\n`;
}

function summaryRows(summary: ApplySummary): readonly (readonly [string, string])[] {
  return [
    ['Plan ID:', printable(summary.planId)],
    ['Artifacts:', `${plural(summary.filesChanged, 'file')} changed`],
    ['Insertions:', `+${summary.insertions}`],
    ['Deletions:', `-${summary.deletions}`],
    ['Project:', printable(summary.project)],
    ['Timestamp:', localTime(new Date(summary.timestamp))],
  ];
}

function closingWords({ filesChanged, keptFiles, targetBranch }: ApplySummary): string {
  if (filesChanged === 0) return 'Nothing to apply';
  const kept =
    keptFiles.length === 0 ? '' : ` (${plural(keptFiles.length, 'file')} had the new content already)`;
  return `Changes applied${targetBranch === null ? '' : ` to ${printable(targetBranch)}`}${kept}`;
}

function cleanupLines(
  { colours, hasUnicode }: Terminal,
  strategy: ApplySummary['strategy'],
  cleanup: CleanupSummary,
): readonly string[] {
  const [yes, no] = hasUnicode ? ['✓', '✗'] : ['*', 'x'];
  const line = (done: boolean, words: string, otherwise: string): string =>
    done ? `${colours.green(yes)} ${words}` : `${colours.red(no)} ${otherwise}`;
  return [
    ...(strategy === 'file_copy'
      ? [line(cleanup.worktreeRemoved, 'Copy removed', 'Copy not removed')]
      : [
          line(cleanup.worktreeRemoved, 'Worktree removed', 'Worktree not removed'),
          line(cleanup.branchDeleted, 'Branch deleted', 'Branch not deleted'),
        ]),
    ...(cleanup.rescuedTo === null ? [] : [`Later work is kept: ${printable(cleanup.rescuedTo)}`]),
    ...cleanup.leftOver.map(({ path, reason }) => `${printable(path)}: ${printable(reason)}`),
  ];
}

function row(label: string, value: string): string {
  return `${label.padEnd(LABEL_WIDTH)}${value}`;
}

/** A titled box as wide as the terminal allows; long lines wrap inside it. */
export function panel({ columns, hasUnicode, colours }: Terminal, title: string, body: string): string {
  const box = boxen(body, {
    title: colours.bold(title),
    padding: { left: 1, right: 1, top: 0, bottom: 0 },
    width: Math.max(20, Math.min(PANEL_WIDTH, columns)),
    borderStyle: hasUnicode ? 'round' : 'classic',
  });
  return withTitleInset(box, hasUnicode ? '╭' : '+', hasUnicode ? '─' : '-');
}

/** boxen puts the title right at the corner; ours stands one dash in. */
function withTitleInset(box: string, corner: string, dash: string): string {
  const [top = '', ...rest] = box.split('\n');
  const last = top.lastIndexOf(dash);
  const inset =
    last < 0 ? top : `${top.slice(0, last)}${top.slice(last + 1)}`.replace(corner, `${corner}${dash}`);
  return [inset, ...rest].join('\n');
}

function localTime(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
