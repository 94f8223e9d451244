import type { FileReport, PathAndReason } from '@cleveragents/sandbox-domain';
import type { Terminal } from '../terminal.ts';
import { plural, printable } from './text.ts';

const MARKS: Readonly<Record<FileReport['kind'], string>> = {
  added: 'A',
  modified: 'M',
  deleted: 'D',
  renamed: 'R',
  mode: 'X',
  link: 'L',
};

/** One line a file, as `git status --short` has it, with counts, and a sum at the end. */
export function renderFiles(terminal: Terminal, files: readonly FileReport[]): string {
  const { colours } = terminal;
  const lines = files.map((file) => {
    const paint =
      file.kind === 'added' ? colours.green : file.kind === 'deleted' ? colours.red : colours.yellow;
    const name =
      file.renamedFrom === null
        ? printable(file.path)
        : `${printable(file.renamedFrom)} -> ${printable(file.path)}`;
    return `  ${paint(MARKS[file.kind])} ${name}${colours.dim(countsOf(file))}`;
  });
  return `${[...lines, sumOf(files)].join('\n')}\n`;
}

function countsOf({ binary, insertions, deletions, kind }: FileReport): string {
  if (binary) return '  (binary)';
  if (kind === 'mode') return '  (mode)';
  return insertions + deletions === 0 ? '' : `  +${insertions} -${deletions}`;
}

function sumOf(files: readonly FileReport[]): string {
  if (files.length === 0) return 'No changes.';
  const sum = (field: 'insertions' | 'deletions'): number =>
    files.reduce((total, file) => total + file[field], 0);
  return `${plural(files.length, 'file')} changed, +${sum('insertions')} -${sum('deletions')}`;
}

/** Paths that are left out of a result, each with its reason. */
export function renderReasons(title: string, paths: readonly PathAndReason[]): string {
  if (paths.length === 0) return '';
  return `${title}\n${paths.map(({ path, reason }) => `  ${printable(path)}: ${reason}\n`).join('')}`;
}
