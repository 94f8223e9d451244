import { request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientOfV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportOfV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { serveToolsOverHttp, type ServingToolsOverHttp } from '@cleveragents/mcp-adapter-sdk';
import { echoProvider } from './support/provider.ts';

const TOKEN = 'a token that is long enough';
const INFO = { name: 'test', version: '1.0.0' };

let serving: ServingToolsOverHttp;
beforeEach(async () => {
  serving = await serveToolsOverHttp({ ...INFO, open: echoProvider, port: 0, token: TOKEN });
});
afterEach(() => serving.close());

const authorized = { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } };

it.each(['legacy', 'auto'] as const)('answers a v2 client that negotiates as %s', async (mode) => {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(serving.url), authorized));
  expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
  expect((await client.listTools()).tools).toMatchObject([{ name: 'echo' }]);
  expect(await client.callTool({ name: 'echo', arguments: { a: 1 } })).toMatchObject({
    structuredContent: { a: 1 },
  });
  await client.close();
});

it('answers a v1 client', async () => {
  const client = new ClientOfV1(INFO);
  const transport = new TransportOfV1(new URL(serving.url), authorized);
  await client.connect(transport as Parameters<ClientOfV1['connect']>[0]);
  expect(await client.callTool({ name: 'echo', arguments: { a: 1 } })).toMatchObject({
    structuredContent: { a: 1 },
  });
  await client.close();
});

/** The status of a bare request: `fetch` does not let anybody choose a host. */
function statusOf(headers: Readonly<Record<string, string>>, path = ''): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asking = request(`${serving.url}${path}`, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asking.once('error', reject).end('{}');
  });
}

const authorization = `Bearer ${TOKEN}`;

it.each([
  ['no token', {}, 401],
  ['another token', { authorization: `${authorization}!` }, 401],
  ['a token of another kind', { authorization: `Basic ${TOKEN}` }, 401],
  ['a host that was led here', { authorization, host: 'evil.example' }, 403],
  ['a page of another origin', { authorization, origin: 'https://evil.example' }, 403],
  ['a page without an origin', { authorization, origin: 'null' }, 403],
])('refuses a request with %s', async (_what, headers, status) => {
  expect(await statusOf(headers)).toBe(status);
});

it('knows one path', async () => {
  expect(await statusOf({ authorization }, '/other')).toBe(404);
});

it('listens on the loopback alone', () => {
  expect(serving.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
});

it('refuses a port that is taken, and a token that can be guessed', async () => {
  const port = Number(new URL(serving.url).port);
  await expect(serveToolsOverHttp({ ...INFO, open: echoProvider, port, token: TOKEN })).rejects.toMatchObject(
    { code: 'MCP_CHANNEL_FAILED', data: { port } },
  );
  await expect(
    serveToolsOverHttp({ ...INFO, open: echoProvider, port: 0, token: 'short' }),
  ).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
});
