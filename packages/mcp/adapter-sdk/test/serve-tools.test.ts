import { PassThrough } from 'node:stream';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from '@jest/globals';
import { serveTools, serveToolsOverHttp } from '@cleveragents/mcp-adapter-sdk';
import type { OfferedResources, ToolProvider } from '@cleveragents/mcp-ports';
import { ToolProviderError } from '@cleveragents/mcp-ports';
import { CodedError } from '@cleveragents/shared-kernel';
import { echoProvider, WaitingProvider } from './support/provider.ts';
import { streamTransport } from './support/stream-transport.ts';

const INFO = { name: 'test', version: '1.0.0' };
const TOKEN = 'a token that is long enough';

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

function overStreams(open: () => ToolProvider): Promise<Transport> {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const serving = serveTools({ ...INFO, open, input: there, output: back });
  closings.push(() => serving.close());
  return Promise.resolve(streamTransport(back, there));
}

async function overHttp(open: () => ToolProvider): Promise<Transport> {
  const serving = await serveToolsOverHttp({ ...INFO, open, port: 0, token: TOKEN });
  closings.push(() => serving.close());
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  return new StreamableHTTPClientTransport(new URL(serving.url), { requestInit });
}

describe.each([
  { way: 'stdio', connect: overStreams, mode: 'legacy' },
  { way: 'stdio', connect: overStreams, mode: 'auto' },
  { way: 'HTTP', connect: overHttp, mode: 'legacy' },
  { way: 'HTTP', connect: overHttp, mode: 'auto' },
] as const)('over $way, to a client that negotiates as $mode', ({ connect, mode }) => {
  async function connected(provider: ToolProvider): Promise<Client> {
    const client = new Client(INFO, { versionNegotiation: { mode } });
    await client.connect(await connect(() => provider));
    closings.push(() => client.close());
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
    return client;
  }

  it('progress arrives in order, and cancelling ends the work', async () => {
    const provider = new WaitingProvider();
    const client = await connected(provider);
    const begun = provider.next();
    const cancelling = new AbortController();
    const seen: unknown[] = [];
    const allSeen = new Promise<void>((resolve) => {
      const call = client.callTool(
        { name: 'wait' },
        {
          signal: cancelling.signal,
          onprogress: ({ progress, message }) => {
            seen.push([progress, message]);
            if (seen.length === 3) resolve();
          },
        },
      );
      call.catch(() => undefined);
    });
    const { signal } = await begun;
    await allSeen;
    expect(seen).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ]);
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
    cancelling.abort('enough');
    await aborted;
  });

  it('a client that goes cancels what it called', async () => {
    const provider = new WaitingProvider();
    const client = await connected(provider);
    const { transport } = client;
    const begun = provider.next();
    client.callTool({ name: 'wait' }).catch(() => undefined);
    const { signal, onProgress } = await begun;
    expect(onProgress).toBeUndefined();
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
    // before 2026-07-28, a connection that breaks is none that ended
    if (transport instanceof StreamableHTTPClientTransport && mode === 'legacy')
      await transport.terminateSession();
    await client.close();
    await aborted;
  });

  it('resources are listed, and read by their URI', async () => {
    const client = await connected(libraryProvider());
    expect(client.getServerCapabilities()).toMatchObject({ resources: {}, tools: {} });
    expect((await client.listResources()).resources).toEqual([{ ...DESCRIBED, uri: 'demo://one' }]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
      { ...DESCRIBED, uriTemplate: 'demo://many/{+path}' },
    ]);
    expect(await client.readResource({ uri: 'demo://one' })).toMatchObject({
      contents: [{ uri: 'demo://one', mimeType: 'text/plain', text: 'read' }],
    });
    await expect(client.readResource({ uri: 'demo://other' })).rejects.toMatchObject({
      code: -32_602,
      data: { uri: 'demo://other' },
    });
    await expect(client.readResource({ uri: 'demo://broken' })).rejects.toMatchObject({
      code: -32_602,
      data: { code: 'BROKEN', hint: 'Mend it.' },
    });
  });

  it('says nothing of resources when there are none', async () => {
    const client = await connected(echoProvider());
    expect(client.getServerCapabilities()).not.toHaveProperty('resources');
  });
});

const DESCRIBED = { name: 'one', title: 'One', description: 'Something', mimeType: 'text/plain' };

function libraryProvider(): ToolProvider {
  const read = (): Promise<undefined> => Promise.resolve(undefined);
  const resources: readonly OfferedResources[] = [
    { ...DESCRIBED, uri: 'demo://one', isTemplate: false, read },
    { ...DESCRIBED, uri: 'demo://many/{+path}', isTemplate: true, read },
  ];
  return {
    ...echoProvider(),
    resources,
    readResource: (uri) => {
      if (uri === 'demo://one') return Promise.resolve({ uri, mimeType: 'text/plain', text: 'read' });
      throw uri === 'demo://broken'
        ? new CodedError('BROKEN', 'It is broken', { hint: 'Mend it.' })
        : new ToolProviderError('MCP_RESOURCE_UNKNOWN', 'There is none', { data: { uri } });
    },
  };
}
