// One call on a sandbox, in a process of its own: node copy-flow-script REQUEST. Says on standard output how it ended.
import type { FileCopySandbox } from '@cleveragents/sandbox-adapter-fs';
import { callCopy, type FlowFailure, type FlowReport, type FlowRequest, openCopy } from './copy-calls.ts';

async function tryCall(
  sandbox: FileCopySandbox,
  { call, options }: FlowRequest,
): Promise<FlowFailure | null> {
  try {
    await callCopy(sandbox, call, options);
    return null;
  } catch (error) {
    const { constructor, code, hint, data, stack, cause } = error as Error & Partial<FlowFailure>;
    const from = cause instanceof Error ? `\ncaused by ${cause.stack ?? cause.message}` : '';
    return {
      name: constructor.name,
      code: code ?? null,
      hint: hint ?? null,
      data: data ?? null,
      stack: `${stack ?? ''}${from}`,
    };
  }
}

const request = JSON.parse(process.argv[2] ?? '') as FlowRequest;
const sandbox = openCopy(request.place, request.state);
const failure = await tryCall(sandbox, request);
const retryFailure = failure !== null && request.retries ? await tryCall(sandbox, request) : null;
const report: FlowReport = { failure, retryFailure, state: sandbox.state };
process.stdout.write(JSON.stringify(report));
