import { createInterface } from 'node:readline';
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

describe('over stdio, odd clients', () => {
  const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
  const clientInfo = { name: 'odd', version: '1' };
  const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
  const BEGIN =
    line({ id: 'i', method: 'initialize', params }) + line({ method: 'notifications/initialized' });
  const ping = (id: unknown): string => line({ id, method: 'ping' });
  const error = (id: unknown, code: number): object => ({ id, error: { code } });

  /** What is answered to the bytes, in the order of the ids, once the last ping is answered. */
  async function answersTo(...sent: readonly (string | Uint8Array)[]): Promise<readonly unknown[]> {
    const [there, back] = [new PassThrough(), new PassThrough()];
    const serving = serveTools({ ...INFO, open: echoProvider, input: there, output: back });
    closings.push(() => serving.close());
    const answers: { readonly id: unknown }[] = [];
    const answered = new Promise<void>((resolve) => {
      createInterface({ input: back }).on('line', (text) => {
        const answer = JSON.parse(text) as { readonly id: unknown };
        if (answer.id === 'last') resolve();
        else if (answer.id !== 'i') answers.push(answer);
      });
    });
    for (const bytes of [BEGIN, ...sent, ping('last')]) there.write(bytes);
    await answered;
    await new Promise((resolve) => setImmediate(resolve));
    return answers;
  }

  it.each<[string, readonly (string | Uint8Array)[], readonly unknown[]]>([
    ['a batch', [`[${ping(1).trim()},${ping(2).trim()}]\n`], [{ id: 1 }, { id: 2 }]],
    ['lines that are no messages', ['hello\n', '{\n', '[]\n', 'null\n', '{"jsonrpc":"2.0"}\n', '\n'], []],
    ['bytes that are no text', [Uint8Array.of(0x22, 0xff, 0x22, 0x0a)], []],
    ['ids of all kinds', [ping(''), ping(-3), ping(0)], [{ id: '' }, { id: -3 }, { id: 0 }]],
    ['an id that is no whole number', [ping(1.5)], [error(1.5, -32_600)]],
    ['params that are no object', [line({ id: 1, method: 'tools/call', params: [] })], [error(1, -32_600)]],
    ['a call without params', [line({ id: 1, method: 'tools/call' })], [error(1, -32_602)]],
    ['a method that nobody knows', [line({ id: 1, method: 'no/such' })], [error(1, -32_601)]],
    ['one id twice', [ping(1) + ping(1)], [{ id: 1 }, { id: 1 }]],
    ['an answer that nobody asked for', [line({ id: 9, result: {} })], []],
    [
      'cancelling what was never called',
      [line({ method: 'notifications/cancelled', params: { requestId: 9 } })],
      [],
    ],
    ['a notification that nobody knows', [line({ method: 'notifications/no/such', params: {} })], []],
    [
      'a message in many pieces',
      [...Buffer.from(ping('目录'))].map((byte) => Uint8Array.of(byte)),
      [{ id: '目录' }],
    ],
    [
      'a message of many megabytes',
      [line({ id: 1, method: 'ping', params: { x: 'y'.repeat(5e6) } })],
      [{ id: 1 }],
    ],
  ])('%s', async (_what, sent, expected) => {
    expect(await answersTo(...sent)).toMatchObject(expected);
  });

  it('an id of 64 bits comes back as it was', async () => {
    const [there, back] = [new PassThrough(), new PassThrough()];
    const serving = serveTools({ ...INFO, open: echoProvider, input: there, output: back });
    closings.push(() => serving.close());
    const lines = createInterface({ input: back })[Symbol.asyncIterator]();
    there.write(`${BEGIN}{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}\n`);
    await lines.next();
    expect((await lines.next()).value).toContain('"id":9007199254740993');
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
