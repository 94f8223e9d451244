// One call on a sandbox, in a process of its own: node copy-flow-script REQUEST. Says on standard output how it ended.
import { playFlow } from '@cleveragents/shared-testing';
import { type FlowRequest, openCopy } from './copy-calls.ts';

const request = JSON.parse(process.argv[2] ?? '') as FlowRequest;
await playFlow(openCopy(request.place, request.state), request);
