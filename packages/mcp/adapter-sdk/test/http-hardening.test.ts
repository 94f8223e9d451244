import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Readable } from 'node:stream';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { serveToolsOverHttp, type ServingToolsOverHttp } from '@cleveragents/mcp-adapter-sdk';
import { echoProvider } from './support/provider.ts';

const TOKEN = 'a token that is long enough';
const INFO = { name: 'test', version: '1.0.0' };
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const HEADERS = {
  authorization: `Bearer ${TOKEN}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

let serving: ServingToolsOverHttp;
let troubles: Error[];
beforeEach(async () => {
  troubles = [];
  const onTrouble = (error: Error): void => void troubles.push(error);
  serving = await serveToolsOverHttp({ ...INFO, open: echoProvider, port: 0, token: TOKEN, onTrouble });
});
afterEach(() => serving.close());

function post(headers: Readonly<Record<string, string>> = {}): {
  readonly asking: ReturnType<typeof request>;
  readonly answered: Promise<IncomingMessage>;
} {
  const asking = request(serving.url, { method: 'POST', headers: { ...HEADERS, ...headers } });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    asking.once('response', resolve).once('error', reject);
  });
  return { asking, answered };
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

async function listed(): Promise<string> {
  const { asking, answered } = post();
  asking.end(LIST);
  return textOf(await answered);
}

it('refuses a body that says it is too large before it has come', async () => {
  const { asking, answered } = post({ 'content-length': String(MAX_BODY_BYTES + 1) });
  asking.flushHeaders();
  const response = await answered;
  asking.on('error', () => undefined).destroy();
  expect(response.statusCode).toBe(413);
  expect(await listed()).toContain('"echo"');
});

it('refuses a body that becomes too large', async () => {
  const { asking, answered } = post();
  asking.on('error', () => undefined); // the connection may end while we still write
  const piece = Buffer.alloc(1024 * 1024, ' ');
  let ended = false;
  void answered.finally(() => (ended = true));
  for (let sent = 0; sent <= MAX_BODY_BYTES && !ended; sent += piece.length)
    if (!asking.write(piece)) await new Promise((resolve) => asking.once('drain', resolve));
  asking.end();
  expect((await answered).statusCode).toBe(413);
  expect(await listed()).toContain('"echo"');
});

it('does not let a body that comes slowly keep anybody else waiting, and answers it in the end', async () => {
  const slow = post({ 'content-length': String(Buffer.byteLength(LIST)) });
  const [first = '', ...others] = LIST;
  slow.asking.write(first);
  for (const letter of others.slice(0, 20)) {
    slow.asking.write(letter);
    expect(await listed()).toContain('"echo"');
  }
  slow.asking.end(others.slice(20).join(''));
  expect(await textOf(await slow.answered)).toContain('"echo"');
});

it('hangs up on who never sends all of the body, and on who never sends all of the headers', async () => {
  const impatient = await serveToolsOverHttp({
    ...{ ...INFO, open: echoProvider, port: 0, token: TOKEN },
    limits: { headersTimeoutMs: 100, requestTimeoutMs: 100 },
  });
  const authorization = `Authorization: ${HEADERS.authorization}`;
  const headers = `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\nContent-Length: 9\r\n`;
  for (const begun of [`${headers}\r\n{`, headers]) {
    const socket = connect(Number(new URL(impatient.url).port), '127.0.0.1');
    socket.write(begun);
    expect(await new Response(Readable.toWeb(socket) as ReadableStream).text()).toContain('408');
  }
  await impatient.close();
});

it('serves a hundred clients at once', async () => {
  const clients = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const mode = index % 2 === 0 ? 'auto' : 'legacy';
      const client = new Client(INFO, { versionNegotiation: { mode } });
      const requestInit = { headers: { authorization: HEADERS.authorization } };
      await client.connect(new StreamableHTTPClientTransport(new URL(serving.url), { requestInit }));
      return client;
    }),
  );
  const answers = await Promise.all(
    clients.map((client, index) => client.callTool({ name: 'echo', arguments: { index } })),
  );
  expect(answers.map(({ structuredContent }) => structuredContent)).toEqual(
    clients.map((_, index) => ({ index })),
  );
  await Promise.all(clients.map((client) => client.close()));
});

it('keeps a hundred sessions, and forgets the one that was not used for longest', async () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO },
  };
  const begun: string[] = [];
  for (let index = 0; index < 101; index += 1) {
    const { asking, answered } = post();
    asking.end(JSON.stringify(initialize));
    const response = await answered;
    await textOf(response);
    begun.push(String(response.headers['mcp-session-id']));
  }
  expect(new Set(begun).size).toBe(101);
  const statusIn = async (session: string | undefined): Promise<number | undefined> => {
    const { asking, answered } = post({ 'mcp-session-id': session ?? '' });
    asking.end(LIST);
    const response = await answered;
    response.resume();
    return response.statusCode;
  };
  expect([await statusIn(begun[0]), await statusIn(begun[1]), await statusIn(begun[100])]).toEqual([
    404, 200, 200,
  ]);
  expect(await statusIn('made up')).toBe(404);
});

it.each([
  ['no JSON', '{', 400],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]), 400],
  ['nothing', '', 400],
  ['JSON that is no message', '{"a":1}', 400],
  ['an answer that nobody asked for', '{"jsonrpc":"2.0","id":7,"result":{}}', 202],
])('answers %s with a status, and goes on', async (_what, body, status) => {
  const { asking, answered } = post();
  asking.end(body);
  const response = await answered;
  response.resume();
  expect(response.statusCode).toBe(status);
  expect(await listed()).toContain('"echo"');
});

it('survives a connection that breaks in the middle of a body, and one that speaks no HTTP', async () => {
  const { asking, answered } = post({ 'content-length': '1000' });
  asking.write('{');
  const failed = answered.catch((error: unknown) => error);
  asking.destroy();
  await failed;
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(new URL(serving.url).port), '127.0.0.1', () =>
      socket.end('nonsense\r\n\r\n'),
    );
    socket.resume().once('close', () => resolve());
    socket.once('error', reject);
  });
  expect(await listed()).toContain('"echo"');
});

it('is not there for other machines', async () => {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4');
  const port = Number(new URL(serving.url).port);
  for (const { address } of outside)
    await expect(
      new Promise<void>((resolve, reject) => {
        connect(port, address, resolve).once('error', reject);
      }),
    ).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
