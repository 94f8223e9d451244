// One call on a sandbox, in a process of its own: node flow-script REQUEST. Says on standard output how it ended.
import type { GitWorktreeSandbox } from '@cleveragents/sandbox-adapter-git-worktree';
import {
  callSandbox,
  type FlowFailure,
  type FlowReport,
  type FlowRequest,
  openSandbox,
} from './sandbox-calls.ts';

async function tryCall(
  sandbox: GitWorktreeSandbox,
  { call, options }: FlowRequest,
): Promise<FlowFailure | null> {
  try {
    await callSandbox(sandbox, call, options);
    return null;
  } catch (error) {
    const { constructor, code, hint, message, data, stack, cause } = error as Error & Partial<FlowFailure>;
    const from = cause instanceof Error ? `\ncaused by ${cause.stack ?? cause.message}` : '';
    return {
      name: constructor.name,
      code: code ?? null,
      hint: hint ?? null,
      message,
      data: data ?? null,
      stack: `${stack ?? ''}${from}`,
      status: sandbox.status,
    };
  }
}

const request = JSON.parse(process.argv[2] ?? '') as FlowRequest;
const sandbox = openSandbox(request);
const failure = await tryCall(sandbox, request);
const retryFailure = failure !== null && request.retries ? await tryCall(sandbox, request) : null;
const report: FlowReport = { failure, retryFailure, state: sandbox.state };
process.stdout.write(JSON.stringify(report));
