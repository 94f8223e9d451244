import { type Command, InvalidArgumentError, Option } from 'commander';
import type {
  CorrectOptions,
  CreateCheckpointOptions,
  PruneOptions,
  RollBackOptions,
} from './commands/checkpoint.ts';
import {
  type CommonOptions,
  examplesText,
  type Outcome,
  runAction,
  withCommonOptions,
  withEarlyOptions,
} from './commands/command-action.ts';
import type { Terminal } from './terminal.ts';

const PLAN_ID = 'plan id; the only open plan when it is left out';
const CHECKPOINT_ID = 'checkpoint id, or a beginning that only one has';

const EXAMPLES = [
  'cleveragents checkpoint list',
  'cleveragents checkpoint create --reason "before the rewrite"',
];

type Loaded = typeof import('./commands/checkpoint.ts');

/** The commands of `cleveragents checkpoint`, and `plan correct`. */
export function addCheckpointCommands(program: Command, plan: Command, terminal: Terminal): void {
  const checkpoint = withEarlyOptions(program.command('checkpoint'))
    .description('states of a sandbox to go back to')
    .addHelpText('after', examplesText(EXAMPLES));
  addReading(checkpoint, terminal);
  addWriting(checkpoint, terminal);
  addKeeping(checkpoint, terminal);
  addCorrection(plan, terminal);
}

function act<O extends CommonOptions>(
  terminal: Terminal,
  name: string,
  options: O,
  handler: (commands: Loaded) => Promise<Outcome>,
): Promise<void> {
  return runAction(terminal, name, options, async () => handler(await import('./commands/checkpoint.ts')));
}

function addReading(checkpoint: Command, terminal: Terminal): void {
  const list = checkpoint
    .command('list')
    .description('list the checkpoints of a plan')
    .argument('[plan]', PLAN_ID);
  withCommonOptions(list, ['cleveragents checkpoint list fix-parser']).action(
    (plan: string | undefined, options: CommonOptions) =>
      act(terminal, 'checkpoint list', options, (commands) =>
        commands.listCheckpoints(terminal, plan, options),
      ),
  );
  const show = checkpoint
    .command('show')
    .description('show a checkpoint, and what it does not hold')
    .argument('<checkpoint>', CHECKPOINT_ID);
  withCommonOptions(show, ['cleveragents checkpoint show 01JD']).action(
    (id: string, options: CommonOptions) =>
      act(terminal, 'checkpoint show', options, (commands) => commands.showCheckpoint(terminal, id, options)),
  );
  const diff = checkpoint
    .command('diff')
    .description(
      'name the paths that differ between two checkpoints, or between one and the sandbox as it is',
    )
    .argument('<from>', CHECKPOINT_ID)
    .argument('[to]', CHECKPOINT_ID);
  withCommonOptions(diff, [
    'cleveragents checkpoint diff 01JD',
    'cleveragents checkpoint diff 01JD 01JE',
  ]).action((from: string, to: string | undefined, options: CommonOptions) =>
    act(terminal, 'checkpoint diff', options, (commands) =>
      commands.diffCheckpoints(terminal, from, to, options),
    ),
  );
}

function addWriting(checkpoint: Command, terminal: Terminal): void {
  const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];
  const create = checkpoint
    .command('create')
    .description("take a checkpoint of a plan's sandbox")
    .argument('[plan]', PLAN_ID)
    .option('--reason <text>', 'why, for the list')
    .option('--decision <id>', 'the decision that it stands for')
    .option('--include-ignored <pattern>', 'hold ignored files too that match (repeatable)', collect, []);
  withCommonOptions(create, ['cleveragents checkpoint create fix-parser --reason "tests pass"']).action(
    (plan: string | undefined, options: CreateCheckpointOptions) =>
      act(terminal, 'checkpoint create', options, (commands) =>
        commands.createCheckpoint(terminal, plan, options),
      ),
  );
  const rollback = checkpoint
    .command('rollback')
    .description('bring the sandbox back to a checkpoint; what was there becomes a checkpoint itself')
    .argument('<checkpoint>', CHECKPOINT_ID)
    .option('--dry-run', 'show what would be restored, and change nothing', false)
    .option('--path <path>', 'only this path and what lies below it (repeatable)', collect, []);
  withCommonOptions(rollback, [
    'cleveragents checkpoint rollback 01JD --dry-run',
    'cleveragents checkpoint rollback 01JD',
  ]).action((id: string, options: RollBackOptions) =>
    act(terminal, 'checkpoint rollback', options, (commands) =>
      commands.rollBackToCheckpoint(terminal, id, options),
    ),
  );
}

function addKeeping(checkpoint: Command, terminal: Terminal): void {
  const remove = checkpoint
    .command('delete')
    .description('delete a checkpoint')
    .argument('<checkpoint>', CHECKPOINT_ID);
  withCommonOptions(remove, ['cleveragents checkpoint delete 01JD']).action(
    (id: string, options: CommonOptions) =>
      act(terminal, 'checkpoint delete', options, (commands) => commands.deleteCheckpoint(id, options)),
  );
  const prune = checkpoint
    .command('prune')
    .description('thin the checkpoints of a plan out, and free their bytes')
    .argument('[plan]', PLAN_ID)
    .option('--keep <count>', 'how many to keep', parseCount, 50)
    .option(
      '--over',
      'let go of all checkpoints of plans that are over; else that happens after 30 days',
      false,
    );
  withCommonOptions(prune, [
    'cleveragents checkpoint prune fix-parser --keep 10',
    'cleveragents checkpoint prune --over',
  ]).action((plan: string | undefined, options: PruneOptions) =>
    act(terminal, 'checkpoint prune', options, (commands) =>
      commands.pruneCheckpoints(terminal, plan, options),
    ),
  );
  const pin = checkpoint
    .command('pin')
    .description('keep a checkpoint whatever is pruned')
    .argument('<checkpoint>', CHECKPOINT_ID)
    .option('--remove', 'take the pin away', false);
  withCommonOptions(pin, ['cleveragents checkpoint pin 01JD']).action(
    (id: string, options: CommonOptions & { readonly remove: boolean }) =>
      act(terminal, 'checkpoint pin', options, (commands) => commands.pinCheckpoint(terminal, id, options)),
  );
}

function addCorrection(plan: Command, terminal: Terminal): void {
  const correct = plan
    .command('correct')
    .description('undo back to a decision, or go on from it with better guidance')
    .argument('[id]', PLAN_ID)
    .requiredOption('--decision <id>', 'the decision that was wrong')
    .requiredOption('--guidance <text>', 'what to do instead')
    .addOption(
      new Option('--mode <mode>', 'revert the files to just before it, or append the guidance')
        .choices(['revert', 'append'])
        .makeOptionMandatory(),
    );
  withCommonOptions(correct, [
    'cleveragents plan correct fix-parser --decision d-7 --mode revert --guidance "use a table"',
  ]).action((id: string | undefined, options: CorrectOptions) =>
    act(terminal, 'plan correct', options, (commands) => commands.correctPlan(terminal, id, options)),
  );
}

function parseCount(value: string): number {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1)
    throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return count;
}
