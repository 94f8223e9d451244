import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openFileTools } from '@cleveragents/file-tools-adapter-fs';
import { createFileTools } from '@cleveragents/file-tools-application';
import { serveTools, serveToolsOverHttp, type ServeToolsOptions } from '@cleveragents/mcp-adapter-sdk';
import { McpToolServer } from '@cleveragents/mcp-application';
import type { OfferedResources, OfferedTool } from '@cleveragents/mcp-ports';
import { CodedError, type RootedFileSystem } from '@cleveragents/shared-kernel';
import { offerCheckpointTools } from '../bridges/checkpoint-tool-offers.ts';
import { offerFileTool } from '../bridges/file-tool-offer.ts';
import { PlanFileTools } from '../bridges/plan-file-tools.ts';
import { offerPlanApply, offerSandboxTools } from '../bridges/sandbox-tool-offers.ts';
import { offerDiff, offerFiles } from '../bridges/sandbox-resources.ts';
import { CliError } from '../cli.errors.ts';
import { openWorkbench, type Workbench } from '../composition-root.ts';
import { CHANGE_SETS_FOLDER } from '../project.ts';
import { printable } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';
import type { CommonOptions, Outcome } from './command-action.ts';
import { choosePlan } from './plan-choice.ts';

export interface ServeOptions extends CommonOptions {
  readonly plan?: string;
  readonly root?: string;
  readonly allowApply: boolean;
  readonly checkpoint?: 'pre_write';
  /** Port of this machine; absent: stdio. */
  readonly http?: number;
}

const IN_SANDBOX = `The file tools work in a sandbox: a copy of the user's project. Paths are relative to its root. \
Nothing reaches the project until the plan is applied. Take checkpoints to go back to.`;
const IN_DIRECTORY = 'The file tools work in one directory. Paths are relative to it.';

/** Serves file tools: to the MCP client at our standard input and output until it goes, or over HTTP until a signal comes. */
export async function serveMcp(terminal: Terminal, options: ServeOptions, version: string): Promise<Outcome> {
  refuseContradictions(options);
  const { subject, ...offer } =
    options.root === undefined ? await planOffer(options) : await directoryOffer(options.root);
  const server = { open: () => new McpToolServer(offer), name: 'cleveragents', version };
  await (options.http === undefined ? overStdio(terminal, server) : overHttp(terminal, server, options.http));
  return { json: { ...subject, served: offer.tools.map(({ name }) => name).sort() }, text: '' };
}

type ServedTools = Pick<ServeToolsOptions, 'open' | 'name' | 'version'>;

async function overStdio(terminal: Terminal, server: ServedTools): Promise<void> {
  const { stdin: input, stdout: output } = process;
  const serving = serveTools({ ...server, input, output, onTrouble: warningOn(terminal) });
  await untilStopped(serving.ended);
  await serving.close();
}

/** The environment may hold the token, which no list of processes shows; one that we made up is said. */
async function overHttp(terminal: Terminal, server: ServedTools, port: number): Promise<void> {
  const given = process.env[TOKEN_VARIABLE];
  const token = given ?? randomBytes(32).toString('base64url');
  const serving = await serveToolsOverHttp({ ...server, port, token, onTrouble: warningOn(terminal) }).catch(
    (error: unknown) => {
      throw portError(error);
    },
  );
  terminal.error(`Serving on ${serving.url}\n`);
  if (given === undefined) terminal.error(`Clients send: Authorization: Bearer ${token}\n`);
  await untilStopped();
  await serving.close();
}

function portError(error: unknown): unknown {
  if (!(error instanceof CodedError) || error.code !== 'MCP_CHANNEL_FAILED') return error;
  const { message, hint, data } = error;
  return new CliError('CLI_USAGE', message, { hint, data, cause: error });
}

const TOKEN_VARIABLE = 'CLEVERAGENTS_MCP_TOKEN';

const warningOn =
  (terminal: Terminal) =>
  ({ message }: Error): void =>
    terminal.error(`warning: ${printable(message)}\n`);

interface Offer {
  readonly tools: readonly OfferedTool[];
  readonly resources: readonly OfferedResources[];
  readonly instructions: string;
  readonly subject: Readonly<Record<string, string>>;
}

function refuseContradictions({ plan, root, allowApply, checkpoint }: ServeOptions): void {
  if (root === undefined) return;
  if (plan !== undefined)
    throw new CliError(
      'CLI_USAGE',
      'A server works in the sandbox of a plan or in a directory, not in both',
      {
        hint: 'Give --plan or --root.',
      },
    );
  if (allowApply || checkpoint !== undefined)
    throw new CliError('CLI_USAGE', 'A directory has no plan to apply and no checkpoints', {
      hint: 'Give --plan instead of --root.',
    });
}

async function directoryOffer(root: string): Promise<Offer> {
  const opened = await openFileTools(root);
  const tools = createFileTools(opened).map((tool) =>
    offerFileTool(tool, (called, input, { signal }) => called.execute(input, { signal })),
  );
  const resources = [offerFiles(() => Promise.resolve(opened.files))];
  return { tools, resources, instructions: IN_DIRECTORY, subject: { root } };
}

async function planOffer(options: ServeOptions): Promise<Offer> {
  const bench = await openWorkbench(options);
  const planId = await choosePlan(bench, options.plan);
  return {
    tools: [
      ...(await fileToolsOf(bench, planId, options.checkpoint !== undefined)),
      ...offerSandboxTools(bench.plans, planId),
      ...offerCheckpointTools(bench.checkpoints, planId),
      ...(options.allowApply ? [offerPlanApply(bench.plans, planId)] : []),
    ],
    resources: [offerDiff(bench.plans, planId), offerFiles(() => sandboxFiles(bench, planId))],
    instructions: IN_SANDBOX,
    subject: { planId },
  };
}

async function sandboxFiles({ plans }: Workbench, planId: string): Promise<RootedFileSystem | null> {
  const path = await plans.sandboxPath(planId);
  return path === null ? null : (await openFileTools(path)).files;
}

async function fileToolsOf(
  bench: Workbench,
  planId: string,
  checkpointBeforeWrites: boolean,
): Promise<readonly OfferedTool[]> {
  const { plans, records, checkpoints, clock, project } = bench;
  const runner = new PlanFileTools({
    planId,
    plans,
    records,
    checkpoints,
    clock,
    changeSets: join(project.dataFolder, CHANGE_SETS_FOLDER),
    checkpointBeforeWrites,
  });
  const described = createFileTools(await openFileTools(project.resource.path));
  return described.map((tool) =>
    offerFileTool(tool, (called, input, call) => runner.run(called, input, call)),
  );
}

const STOPPING: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/** A signal ends a server as its client does: what was begun is cancelled, and the exit is in good order. */
async function untilStopped(ended?: Promise<void>): Promise<void> {
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  for (const signal of STOPPING) process.on(signal, stop);
  await Promise.race(ended === undefined ? [stopped] : [ended, stopped]);
  for (const signal of STOPPING) process.off(signal, stop);
}
