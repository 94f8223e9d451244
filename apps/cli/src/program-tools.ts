import { type Command, Option } from 'commander';
import {
  type CommonOptions,
  examplesText,
  runAction,
  withCommonOptions,
  withEarlyOptions,
} from './commands/command-action.ts';
import type { CallOptions } from './commands/tool.ts';
import type { Terminal } from './terminal.ts';

/** The commands of `cleveragents tool`. */
export function addToolCommands(program: Command, terminal: Terminal): void {
  const tool = withEarlyOptions(program.command('tool'))
    .description("call a file tool in a plan's sandbox, as an agent would")
    .addHelpText('after', examplesText(['cleveragents tool list']));
  const list = tool.command('list').description('list the tools; with --json their schemas too');
  withCommonOptions(list, ['cleveragents tool list', 'cleveragents tool list --json']).action(
    (options: CommonOptions) =>
      runAction(terminal, 'tool list', options, async () =>
        (await import('./commands/tool.ts')).listTools(terminal, options),
      ),
  );
  const call = tool
    .command('call')
    .description('call a tool; what it changes goes into the change set of the plan')
    .argument('<name>', 'name of the tool')
    .argument('<input>', 'its input as JSON')
    .option('--plan <id>', 'plan id; the only open plan when it is left out')
    .addOption(
      new Option('--checkpoint <when>', 'take a checkpoint before a tool that writes').choices(['pre_write']),
    );
  withCommonOptions(call, [
    `cleveragents tool call builtin/file-read '{"path":"README.md"}'`,
    `cleveragents tool call builtin/file-edit '{"path":"a.txt","old_text":"a","new_text":"b"}' --checkpoint pre_write`,
  ]).action((name: string, input: string, options: CallOptions) =>
    runAction(terminal, 'tool call', options, async () =>
      (await import('./commands/tool.ts')).callTool(name, input, options),
    ),
  );
}
