import assert from 'node:assert/strict';
import type { JsonRpcMessage } from '@cleveragents/mcp-domain';
// #region example
import { channelPair, McpProxy } from '@cleveragents/mcp-application';

const [agent, towardsAgent] = channelPair();
const [towardsTool, tool] = channelPair();
const proxy = new McpProxy({
  client: towardsAgent,
  server: towardsTool,
  paths: { hostRoot: '/home/user/project', sandboxRoot: '/workspace' },
});
const finished = proxy.run();
// #endregion

const seen: JsonRpcMessage[] = [];
await tool.start({
  onMessage: (message) => {
    seen.push(message);
    const result = { content: [{ type: 'text', text: 'Deleted /workspace/a.txt' }] };
    void tool.send({ jsonrpc: '2.0', id: 1, result });
  },
  onClosed: () => undefined,
});
await agent.start({
  onMessage: (message) => {
    seen.push(message);
    void agent.close();
  },
  onClosed: () => undefined,
});
await agent.send({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'delete_file', arguments: { path: '/home/user/project/a.txt' } },
});

const { rewritten } = await finished;
assert.deepEqual(rewritten, { host: 1, sandbox: 1 });
assert.match(JSON.stringify(seen[0]), /"path":"\/workspace\/a\.txt"/);
assert.match(JSON.stringify(seen[1]), /Deleted \/home\/user\/project\/a\.txt/);
