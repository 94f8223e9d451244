import { join } from 'node:path';
import { FileChangeSetStore, openFileTools } from '@cleveragents/file-tools-adapter-fs';
import { ChangeSetCapture, registerFileTools, ToolRegistry } from '@cleveragents/file-tools-application';
import type { ToolResult } from '@cleveragents/file-tools-domain';
import type { AgentTool } from '@cleveragents/file-tools-ports';
import { CliError } from '../cli.errors.ts';
import { CHANGE_SETS_FOLDER } from '../project.ts';
import { openWorkbench, type Workbench } from '../composition-root.ts';
import { ExitCode } from '../exit-codes.ts';
import { printable, printableJson } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';
import type { CommonOptions, Outcome } from './command-action.ts';
import { choosePlan } from './plan-choice.ts';

export interface ToolOptions extends CommonOptions {
  readonly plan?: string;
}

export interface CallOptions extends ToolOptions {
  readonly checkpoint?: 'pre_write';
}

/** The tools that an agent can call in a plan's sandbox, with their schemas in JSON. */
export async function listTools(terminal: Terminal, options: ToolOptions): Promise<Outcome> {
  const registry = new ToolRegistry();
  registerFileTools(registry, await openFileTools(options.project));
  const tools = registry
    .list()
    .map(({ name, title, description, inputSchema, outputSchema, annotations }) => ({
      name,
      title,
      description,
      inputSchema,
      outputSchema,
      annotations,
    }));
  const width = Math.max(...tools.map(({ name }) => name.length));
  const lines = tools.map(({ name, title }) => `${terminal.colours.bold(name.padEnd(width))}  ${title}\n`);
  return { json: { tools }, text: lines.join('') };
}

/**
 * Calls a tool in a plan's sandbox. What it changes goes into the plan's change set; the plan's history says that it was
 * called. Its answer is the output, also when it is a failure: exit code 3 then.
 */
export async function callTool(
  name: string,
  input: string,
  { checkpoint, ...options }: CallOptions,
): Promise<Outcome> {
  const parsed = parseInput(input);
  const bench = await openWorkbench(options);
  const planId = await choosePlan(bench, options.plan);
  const { result, tool } = await bench.plans.execute(planId, {
    label: `tool ${name}`,
    run: async ({ path }) => {
      const registry = await openTools(bench, planId, path);
      const called = registry.get(name);
      if (checkpoint !== undefined && called?.annotations.readOnly === false)
        await bench.checkpoints.captureCheckpoint({ planId, checkpointType: checkpoint, sourceTool: name });
      return { result: await registry.execute(name, parsed), tool: called };
    },
    describe: (outcome) => ({ tool: name, success: outcome.result.success }),
  });
  return {
    json: { planId, tool: name, result },
    text: `${printableJson(result.success ? result.output : result)}\n`,
    exitCode: exitCodeOf(result, tool),
  };
}

async function openTools(bench: Workbench, planId: string, root: string): Promise<ToolRegistry> {
  const store = new FileChangeSetStore(join(bench.project.dataFolder, CHANGE_SETS_FOLDER));
  const changeSet = await ChangeSetCapture.resume({ planId, store, clock: bench.clock });
  const registry = new ToolRegistry();
  registerFileTools(registry, { ...(await openFileTools(root)), changeSet });
  return registry;
}

function parseInput(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch (cause) {
    throw new CliError('CLI_USAGE', `The input of the tool is no JSON: ${printable(input.slice(0, 80))}`, {
      hint: `Quote it for the shell: cleveragents tool call builtin/file-read '{"path":"README.md"}'`,
      cause,
    });
  }
}

function exitCodeOf({ success }: ToolResult, tool: AgentTool | undefined): number {
  if (success) return ExitCode.DONE;
  return tool === undefined ? ExitCode.NOT_FOUND : ExitCode.REFUSED;
}
