import assert from 'node:assert/strict';
// #region example
import { ChildProcessChannel, StreamMessageChannel } from '@cleveragents/mcp-adapter-sdk';
import { McpProxy } from '@cleveragents/mcp-application';

const server = new ChildProcessChannel({ command: ['node', '--eval', 'startServer()'] });
const client = new StreamMessageChannel({ input: process.stdin, output: process.stdout });
const paths = { hostRoot: '/home/user/project', sandboxRoot: '/workspace' };
await new McpProxy({ client, server, paths }).run();
const { exitCode } = await server.exited;
// #endregion

assert.equal(exitCode, 1); // there is no such function
