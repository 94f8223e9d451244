import { type Command, InvalidArgumentError } from 'commander';
import { runAction, withCommonOptions } from './commands/command-action.ts';
import type { DoctorOptions } from './commands/doctor.ts';
import type { Terminal } from './terminal.ts';

const EXPLANATION = `
Without --fix nothing is written. With it, everything that is safe to repair is repaired: what could hold work is kept for
30 days first, and what nobody can prove to be ours is named and left alone.

Exit code: 0 when no problem is found or left, 3 while one is.`;

/** `cleveragents doctor`. */
export function addDoctorCommand(program: Command, terminal: Terminal): void {
  const doctor = program
    .command('doctor')
    .description(
      'find what crashes, cleaners and agents left behind, say what it means, and repair what is safe',
    )
    .option('--fix', 'repair what is safe to repair', false)
    .option(
      '--store-budget <mebibytes>',
      'how much the checkpoints may take on disk',
      parseMebibytes,
      5 * 1024,
    )
    .addHelpText('after', EXPLANATION);
  withCommonOptions(doctor, [
    'cleveragents doctor',
    'cleveragents doctor --fix',
    'cleveragents doctor --project ../app --json',
  ]).action((options: DoctorOptions) =>
    runAction(terminal, 'doctor', options, async () =>
      (await import('./commands/doctor.ts')).examineProject(terminal, options),
    ),
  );
}

function parseMebibytes(value: string): number {
  const mebibytes = Number(value);
  if (value.trim() === '' || !(mebibytes >= 0) || !Number.isFinite(mebibytes))
    throw new InvalidArgumentError('It must be a number of mebibytes.');
  return mebibytes;
}
