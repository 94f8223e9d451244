import type { Checkpoint, RollbackResult, SnapshotDifference } from '@cleveragents/checkpoint-domain';
import type { Terminal } from '../terminal.ts';
import { plural, printable } from './text.ts';

const LABEL_WIDTH = 12;

/** Everything that a person wants to know of one checkpoint, what it does not hold included. */
export function renderCheckpoint({ colours }: Terminal, checkpoint: Checkpoint): string {
  const { metadata, coverage } = checkpoint;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Checkpoint', checkpoint.checkpointId],
    ['Plan', printable(checkpoint.planId)],
    ['Type', `${checkpoint.checkpointType}${checkpoint.pinned === true ? ', pinned' : ''}`],
    ['Created', checkpoint.createdAt],
    ['Reason', metadata.reason],
    ['Tool', metadata.sourceTool],
    ['Phase', metadata.phase],
    ['Decision', checkpoint.decisionId],
    ['Files', coverage === undefined ? undefined : String(coverage.fileCount)],
  ];
  const lines = rows.flatMap(([label, value]) =>
    value === undefined ? [] : [`${colours.dim(label.padEnd(LABEL_WIDTH))}${printable(value)}`],
  );
  return `${[...lines, ...uncoveredLines(checkpoint)].join('\n')}\n`;
}

function uncoveredLines({ coverage }: Checkpoint): readonly string[] {
  if (coverage === undefined || coverage.uncoveredCount === 0) return [];
  const listed = coverage.uncovered.map(({ path, reason }) => `  ${printable(path)} (${reason})`);
  const more = coverage.uncoveredCount - coverage.uncovered.length;
  return [
    `Not held: ${plural(coverage.uncoveredCount, 'path')}`,
    ...listed,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

/** One line a checkpoint, oldest first. */
export function renderCheckpoints({ colours }: Terminal, checkpoints: readonly Checkpoint[]): string {
  if (checkpoints.length === 0) return 'No checkpoints yet.\n';
  return checkpoints
    .map(({ checkpointId, checkpointType, createdAt, metadata, pinned }) => {
      const mark = pinned === true ? '*' : ' ';
      return `${mark} ${colours.bold(checkpointId)}  ${checkpointType.padEnd(12)}  ${createdAt}  ${printable(metadata.reason ?? '')}\n`;
    })
    .join('');
}

/** One line a path: what the second state has that the first has not. */
export function renderDifferences({ colours }: Terminal, differences: readonly SnapshotDifference[]): string {
  if (differences.length === 0) return 'No differences.\n';
  return differences
    .map(({ path, present, wanted }) => {
      if (present === null) return `  ${colours.green('A')} ${printable(path)}\n`;
      return `  ${wanted === null ? colours.red('D') : colours.yellow('M')} ${printable(path)}\n`;
    })
    .join('');
}

export function renderRollback({ colours }: Terminal, result: RollbackResult, isDryRun: boolean): string {
  const verb = isDryRun ? 'Would restore' : 'Restored';
  const kept = result.keptFiles.map(
    ({ path, reason }) => `  ${colours.dim('=')} ${printable(path)} (${reason})\n`,
  );
  const isDone = !isDryRun && result.restoredFilesCount > 0;
  const safety = `What was there is checkpoint ${result.safetyCheckpointId}: roll back to it to undo this.\n`;
  return [
    result.restoredFilesCount === 0
      ? 'There is nothing to restore.\n'
      : `${verb} ${plural(result.restoredFilesCount, 'path')}.\n`,
    ...result.restoredFiles.map((path) => `  ${colours.yellow('M')} ${printable(path)}\n`),
    ...(kept.length === 0 ? [] : ['Left as they are:\n', ...kept]),
    isDone ? safety : 'Nothing was changed.\n',
  ].join('');
}
