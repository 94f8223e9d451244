// One call on a sandbox, in a process of its own: node flow-script REQUEST. Says on standard output how it ended.
import { playFlow } from '@cleveragents/shared-testing';
import { type FlowRequest, openSandbox } from './sandbox-calls.ts';

const request = JSON.parse(process.argv[2] ?? '') as FlowRequest;
await playFlow(openSandbox(request), request);
