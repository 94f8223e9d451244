import type { DoctorReport, RepairOutcome } from '@cleveragents/sandbox-application';
import type { Finding, KeptWork } from '@cleveragents/sandbox-domain';
import type { Terminal } from '../terminal.ts';
import { commandLine, completeHint, shellWord } from './shell.ts';
import { plural, printable, printableLines } from './text.ts';

interface Request {
  readonly project: string;
  readonly fix: boolean;
}

/** What was repaired, what is left, and what is kept; for each finding what it is, what it means, and what to do. */
export function renderDoctor(terminal: Terminal, report: DoctorReport, request: Request): string {
  const { findings, repairs, kept } = report;
  const sections = [
    ...repairs.map((repair) => renderRepair(terminal, repair)),
    ...findings.map((finding) => renderFinding(terminal, finding, request)),
    ...(kept.length === 0 ? [] : [renderKept(terminal, kept)]),
    `${summary(terminal, report, request)}\n`,
  ];
  return sections.join('\n');
}

function renderRepair(terminal: Terminal, { finding, outcome, detail }: RepairOutcome): string {
  const { colours, hasUnicode } = terminal;
  const isDone = outcome === 'repaired';
  const mark = isDone ? (hasUnicode ? '✓' : 'OK') : hasUnicode ? '✗' : 'FAILED';
  const head = `${isDone ? colours.green(mark) : colours.red(mark)} ${title(terminal, finding)}`;
  return `${[head, ...indented([finding.problem, detail].map(printableLines))].join('\n')}\n`;
}

function renderFinding(terminal: Terminal, finding: Finding, request: Request): string {
  const { colours } = terminal;
  const { severity, problem, meaning, repair, planId } = finding;
  const label = severity === 'problem' ? colours.red('problem') : colours.yellow('note');
  const where = request.project === '.' ? '' : ` --project ${shellWord(request.project)}`;
  const isLeft = request.fix && repair.by === 'doctor';
  const todo =
    repair.by === 'doctor'
      ? `${colours.cyan(isLeft ? 'Could not be repaired:' : `doctor${where} --fix:`)} ${printableLines(repair.does)}`
      : `${colours.cyan('By hand:')} ${printableLines(repair.does)}${repair.command === null ? '' : ` (${commandLine(repair.command)})`}`;
  const told = planId === null ? meaning : completeHint(meaning, { planId, project: request.project });
  return `${[`${label} ${title(terminal, finding)}`, ...indented([printableLines(problem), printableLines(told), todo])].join('\n')}\n`;
}

function title({ colours }: Terminal, { kind, subject, planId }: Finding): string {
  const plan = planId === null ? '' : ` of plan ${printable(planId)}`;
  return `${colours.bold(kind)}${plan}: ${printable(subject)}`;
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line !== '').map((line) => `  ${line.replaceAll('\n', '\n  ')}`);
}

function renderKept({ colours }: Terminal, kept: readonly KeptWork[]): string {
  const lines = kept.map(
    ({ ref, planId, at, until }) =>
      `  ${planId === null ? 'unknown plan' : printable(planId)}  ${at}  until ${until.slice(0, 10)}  ${printable(ref)}`,
  );
  return `${[colours.dim('Work that was saved:'), ...lines].join('\n')}\n`;
}

function summary({ colours }: Terminal, { findings, repairs }: DoctorReport, { fix }: Request): string {
  const problems = findings.filter(({ severity }) => severity === 'problem');
  const notes = findings.length - problems.length;
  const noted = notes === 0 ? '' : `, ${plural(notes, 'note')}`;
  const done = repairs.filter(({ outcome }) => outcome === 'repaired').length;
  const repaired = fix && done > 0 ? `${done} repaired; ` : '';
  if (problems.length === 0) return colours.green(`${repaired}no problems${noted}.`);
  const left = `${repaired}${plural(problems.length, 'problem')}${repaired === '' ? '' : ' left'}${noted}.`;
  const canFix = !fix && problems.some(({ repair }) => repair.by === 'doctor');
  return `${colours.red(left)}${canFix ? ' `cleveragents doctor --fix` repairs what is safe.' : ''}`;
}
