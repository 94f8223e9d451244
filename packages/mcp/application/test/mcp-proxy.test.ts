import { describe, expect, it } from '@jest/globals';
import { channelPair, McpProxy, type McpProxyOptions, type ProxyReport } from '@cleveragents/mcp-application';
import type { JsonRpcMessage } from '@cleveragents/mcp-domain';
import { type MessageChannel, MessageChannelError } from '@cleveragents/mcp-ports';
import { Inbox } from './inbox.ts';

const H = '/home/user/project';
const S = '/workspace';

interface End {
  readonly channel: MessageChannel;
  readonly inbox: Inbox;
}

interface Scene {
  /** The ends that the client and the server hold. */
  readonly client: End;
  readonly server: End;
  readonly proxy: McpProxy;
  readonly finished: Promise<ProxyReport>;
}

async function scene(options: Partial<McpProxyOptions> = {}): Promise<Scene> {
  const [clientEnd, clientSide] = channelPair();
  const [serverSide, serverEnd] = channelPair();
  const client = { channel: clientEnd, inbox: new Inbox() };
  const server = { channel: serverEnd, inbox: new Inbox() };
  await Promise.all([clientEnd.start(client.inbox), serverEnd.start(server.inbox)]);
  const proxy = new McpProxy({
    client: clientSide,
    server: serverSide,
    paths: { hostRoot: H, sandboxRoot: S },
    ...options,
  });
  return { client, server, proxy, finished: proxy.run() };
}

const request = (id: string | number, method: string, params?: unknown): JsonRpcMessage => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params !== undefined && { params }),
});
const notification = (method: string, params: unknown): JsonRpcMessage => ({
  jsonrpc: '2.0',
  method,
  params,
});
const answer = (id: string | number, result: unknown): JsonRpcMessage => ({ jsonrpc: '2.0', id, result });
const toolCall = (id: string | number, name: string, toolArguments: unknown): JsonRpcMessage =>
  request(id, 'tools/call', { name, arguments: toolArguments });
const text = (words: string): unknown => ({ content: [{ type: 'text', text: words }] });

/** Sends over one end and answers what arrives at the other. */
async function carry(from: End, to: End, message: JsonRpcMessage): Promise<JsonRpcMessage> {
  await from.channel.send(message);
  return to.inbox.next();
}

describe('calls and answers', () => {
  it('go in with sandbox paths and come out with host paths', async () => {
    const { client, server } = await scene();
    expect(await carry(client, server, toolCall(1, 'list', { path: `${H}/src` }))).toEqual(
      toolCall(1, 'list', { path: `${S}/src` }),
    );
    expect(await carry(server, client, answer(1, text(`${S}/src/a.ts`)))).toEqual(
      answer(1, text(`${H}/src/a.ts`)),
    );
  });

  it('are matched by id, whatever the order of the answers, and 1 is not "1"', async () => {
    const { client, server } = await scene();
    await carry(client, server, toolCall(1, 'read_file', { path: `${H}/a` }));
    await carry(client, server, toolCall('1', 'list', { path: H }));
    await carry(client, server, request(2, 'resources/list'));
    const listed = { resources: [{ uri: `file://${S}/a`, name: 'a' }] };
    expect(await carry(server, client, answer(2, listed))).toEqual(
      answer(2, { resources: [{ uri: `file://${H}/a`, name: 'a' }] }),
    );
    expect(await carry(server, client, answer('1', text(S)))).toEqual(answer('1', text(H)));
    expect(await carry(server, client, answer(1, text(S)))).toEqual(answer(1, text(S)));
  });

  it('for several files name them as the client asked for them, and say what they hold as it is', async () => {
    const { client, server } = await scene();
    const paths = (root: string): readonly string[] => [`${root}/a`, `${root}/b`];
    const said = (root: string): unknown =>
      text(`${root}/a:\nsee ${S}\n\n---\n${root}/b: Error - no ${root}/b`);
    await carry(client, server, toolCall(1, 'read_multiple_files', { paths: paths(H) }));
    expect(await carry(server, client, answer(1, said(S)))).toEqual(answer(1, said(H)));
  });

  it('to two calls of one id are read in the order of the calls, by a client that should know better', async () => {
    const { client, server } = await scene();
    await carry(client, server, toolCall(1, 'read_file', { path: `${H}/a` }));
    await carry(client, server, toolCall(1, 'list', { path: H }));
    expect(await carry(server, client, answer(1, text(S)))).toEqual(answer(1, text(S)));
    expect(await carry(server, client, answer(1, text(S)))).toEqual(answer(1, text(H)));
  });

  it('that nobody asked for come out with host paths, too', async () => {
    const { client, server } = await scene();
    expect(await carry(server, client, answer(7, text(`${S}/a`)))).toEqual(answer(7, text(`${H}/a`)));
    const error = { code: -32_700, message: `cannot read a message in ${S}` };
    expect(await carry(server, client, { jsonrpc: '2.0', id: null, error })).toEqual({
      ...{ jsonrpc: '2.0', id: null },
      error: { ...error, message: `cannot read a message in ${H}` },
    });
    expect(await carry(client, server, answer(8, text(`${H}/a`)))).toEqual(answer(8, text(`${H}/a`)));
  });

  it('of the server go the other way, with ids of its own', async () => {
    const { client, server } = await scene();
    await carry(client, server, toolCall(1, 'list', { path: H }));
    expect(await carry(server, client, request(1, 'roots/list'))).toEqual(request(1, 'roots/list'));
    expect(await carry(client, server, answer(1, { roots: [{ uri: `file://${H}` }] }))).toEqual(
      answer(1, { roots: [{ uri: `file://${S}` }] }),
    );
    expect(await carry(server, client, answer(1, text(S)))).toEqual(answer(1, text(H)));
  });

  it('that are promised for later are read as what they were promised for', async () => {
    const { client, server } = await scene();
    await carry(client, server, toolCall(1, 'read_file', { path: `${H}/a` }));
    await carry(
      server,
      client,
      answer(1, { task: { taskId: 't', status: 'working', statusMessage: `reads ${S}/a` } }),
    );
    await carry(client, server, toolCall(2, 'list', { path: H }));
    await carry(server, client, answer(2, { task: { taskId: 'u', status: 'working' } }));
    await carry(client, server, request(3, 'tasks/result', { taskId: 't' }));
    await carry(client, server, request(4, 'tasks/result', { taskId: 'u' }));
    expect(await carry(server, client, answer(3, text(`see ${S}`)))).toEqual(answer(3, text(`see ${S}`)));
    expect(await carry(server, client, answer(4, text(`see ${S}`)))).toEqual(answer(4, text(`see ${H}`)));
  });

  it('that fail come out with host paths', async () => {
    const { client, server } = await scene();
    await carry(client, server, request(1, 'example.com/new', { path: `${H}/a` }));
    const error = { code: -32_602, message: `no such file: ${S}/a` };
    expect(await carry(server, client, { jsonrpc: '2.0', id: 1, error })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32_602, message: `no such file: ${H}/a` },
    });
  });
});

describe('what passes untouched', () => {
  it.each<JsonRpcMessage>([
    request(1, 'example.com/new', { path: `${H}/a`, list: [H] }),
    request('x', 'ping'),
    request(2, 'tasks/get', { taskId: `${H}/t` }),
    request(3, 'tools/list', { cursor: `${H}/c` }),
    notification('notifications/progress', { progressToken: `${H}/p`, progress: 0.5 }),
    notification('notifications/cancelled', { requestId: `${H}/r` }),
    notification('notifications/initialized', { _meta: { root: H } }),
    answer('nobody asked', { path: H }),
    { jsonrpc: '2.0', id: 5, method: 'x', extra: { path: H } } as JsonRpcMessage,
  ])('%j', async (message) => {
    const { client, server } = await scene();
    expect(await carry(client, server, message)).toEqual(message);
  });

  it('an answer to a method nobody knows', async () => {
    const { client, server } = await scene();
    await carry(client, server, request(1, 'example.com/new'));
    expect(await carry(server, client, answer(1, { path: S }))).toEqual(answer(1, { path: S }));
  });

  it('the order of the messages', async () => {
    const { client, server } = await scene();
    const numbers = Array.from({ length: 500 }, (_, index) => index);
    for (const number of numbers)
      void client.channel.send(toolCall(number, 'list', { path: `${H}/${number}` }));
    for (const number of numbers)
      expect(await server.inbox.next()).toEqual(toolCall(number, 'list', { path: `${S}/${number}` }));
  });
});

describe('a cancelled request', () => {
  it('is still understood when its answer comes', async () => {
    const { client, server } = await scene();
    await carry(client, server, toolCall(1, 'read_file', { path: `${H}/a` }));
    await carry(client, server, notification('notifications/cancelled', { requestId: 1 }));
    expect(await carry(server, client, answer(1, text(`see ${S}`)))).toEqual(answer(1, text(`see ${S}`)));
  });

  it('is not answered when the server ends', async () => {
    const { client, server, finished } = await scene();
    await carry(client, server, toolCall(1, 'list', {}));
    await carry(client, server, notification('notifications/cancelled', { requestId: 1 }));
    await server.channel.close();
    expect(await finished).toMatchObject({ unanswered: 0 });
    expect(client.inbox.rest).toEqual([]);
  });
});

describe('when one side goes', () => {
  it('every open request gets an error, after what came before it, and the client is closed', async () => {
    const { client, server, finished } = await scene();
    for (const message of [toolCall(1, 'list', {}), toolCall('2', 'write', {}), request(3, 'tools/list')])
      await carry(client, server, message);
    void server.channel.send(answer(3, { tools: [] }));
    await server.channel.close();
    await client.inbox.closed;
    const ended = {
      code: -32_000,
      message: 'The MCP server ended before it answered tools/call',
      data: { code: 'MCP_CHANNEL_CLOSED' },
    };
    expect(client.inbox.rest).toEqual([
      answer(3, { tools: [] }),
      { jsonrpc: '2.0', id: 1, error: ended },
      { jsonrpc: '2.0', id: '2', error: ended },
    ]);
    expect(await finished).toMatchObject({ unanswered: 2, undelivered: 0 });
  });

  it('the server is closed when the client goes, and its last words count as undelivered', async () => {
    const { client, server, finished } = await scene();
    await carry(client, server, toolCall(1, 'list', {}));
    const leaving = client.channel.close();
    await Promise.all([server.channel.send(answer(1, text('late'))), leaving]);
    await server.inbox.closed;
    expect(await finished).toMatchObject({ messages: { host: 1, sandbox: 1 }, undelivered: 1 });
  });

  it('a request that meets a closed server is answered at once', async () => {
    const [clientEnd, clientSide] = channelPair();
    const inbox = new Inbox();
    await clientEnd.start(inbox);
    const server: MessageChannel = {
      start: () => Promise.resolve(),
      send: () => Promise.reject(new MessageChannelError('MCP_CHANNEL_CLOSED', 'gone')),
      close: () => Promise.resolve(),
    };
    const proxy = new McpProxy({ client: clientSide, server, paths: { hostRoot: H, sandboxRoot: S } });
    void proxy.run();
    await clientEnd.send(request(7, 'tools/list'));
    expect(await inbox.next()).toMatchObject({ id: 7, error: { code: -32_000 } });
  });

  it('and what was wrong with it is told', async () => {
    const told: unknown[] = [];
    const why = new MessageChannelError('MCP_CHANNEL_FAILED', 'died');
    const what = new MessageChannelError('MCP_CHANNEL_UNREADABLE', 'noise');
    const server: MessageChannel = {
      start: (listener) => {
        setImmediate(() => {
          listener.onTrouble?.(what);
          listener.onClosed(why);
        });
        return Promise.resolve();
      },
      send: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
    const { finished } = await scene({ server, onTrouble: (side, error) => void told.push([side, error]) });
    await finished;
    expect(told).toEqual([
      ['sandbox', what],
      ['sandbox', why],
    ]);
  });

  it('a channel that cannot be started ends the run, and the other is closed', async () => {
    const broken: MessageChannel = {
      start: () => Promise.reject(new MessageChannelError('MCP_CHANNEL_FAILED', 'no such command')),
      send: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
    const failed = expect.objectContaining({ code: 'MCP_CHANNEL_FAILED' });
    await expect((await scene({ server: broken })).finished).rejects.toThrow(failed);
    const { server, finished } = await scene({ client: broken });
    await expect(finished).rejects.toThrow(failed);
    await server.inbox.closed;
  });
});

describe('a message that cannot be rewritten', () => {
  const deep = JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`) as unknown;
  const error = { code: -32_602, data: { code: 'MCP_PATH_TOO_DEEP' } };

  it('is answered in place of the server, which never sees it', async () => {
    const { client, server, proxy } = await scene();
    expect(await carry(client, client, toolCall(1, 'list', { deep }))).toMatchObject({ id: 1, error });
    await carry(client, server, request(2, 'ping'));
    expect(proxy.report.refused).toEqual([{ method: 'tools/call', code: 'MCP_PATH_TOO_DEEP', count: 1 }]);
    await server.channel.close();
    await client.inbox.closed;
    expect(client.inbox.rest).toHaveLength(1);
  });

  it('is replaced by an error when it is an answer', async () => {
    const { client, server } = await scene();
    await carry(client, server, toolCall(1, 'list', {}));
    const twice = { structuredContent: { [`${S}/a`]: 1, [`${H}/a`]: 2 } };
    expect(await carry(server, client, answer(1, twice))).toMatchObject({
      id: 1,
      error: { code: -32_603, data: { code: 'MCP_PATH_KEY_COLLISION', hint: expect.any(String) } },
    });
  });

  it('is answered to the server when the server asked', async () => {
    const { client, server } = await scene();
    const question = request(1, 'elicitation/create', { message: 'a', requestedSchema: { default: deep } });
    expect(await carry(server, server, question)).toMatchObject({ id: 1, error });
    await carry(server, client, request(2, 'roots/list'));
    expect(await carry(client, server, answer(2, { roots: [{ uri: deep }] }))).toMatchObject({
      id: 2,
      error: { code: -32_603 },
    });
  });

  it('is dropped when nobody waits for an answer', async () => {
    const { client, server, proxy } = await scene();
    await server.channel.send(notification('notifications/message', { data: deep }));
    await carry(server, client, request(1, 'ping'));
    expect(proxy.report).toMatchObject({
      refused: [{ method: 'notifications/message', count: 1 }],
      messages: { sandbox: 2 },
    });
  });

  it('also when it leaves its root, if that was asked for', async () => {
    const { client } = await scene({ paths: { hostRoot: H, sandboxRoot: S, strict: true } });
    expect(await carry(client, client, toolCall(1, 'list', { path: `${H}/../x` }))).toMatchObject({
      error: { code: -32_602, data: { code: 'MCP_PATH_ESCAPES_ROOT' } },
    });
  });
});

describe('a message that the channel cannot carry', () => {
  /** Carries everything but one word. */
  const picky = (channel: MessageChannel): MessageChannel => ({
    start: (listener) => channel.start(listener),
    send: (message) => {
      if (JSON.stringify(message).includes('unspeakable')) throw new RangeError('too much');
      return channel.send(message);
    },
    close: () => channel.close(),
  });
  const error = { code: -32_603, message: 'The message could not be passed on: too much' };

  it('is answered with an error, whichever side it was for', async () => {
    const [clientEnd, clientSide] = channelPair();
    const [serverSide, serverEnd] = channelPair();
    const client = { channel: clientEnd, inbox: new Inbox() };
    const server = { channel: serverEnd, inbox: new Inbox() };
    await Promise.all([clientEnd.start(client.inbox), serverEnd.start(server.inbox)]);
    const paths = { hostRoot: H, sandboxRoot: S };
    const proxy = new McpProxy({ client: picky(clientSide), server: picky(serverSide), paths });
    void proxy.run();
    expect(await carry(client, client, toolCall(1, 'unspeakable', {}))).toMatchObject({ id: 1, error });
    await carry(client, server, toolCall(2, 'list', {}));
    expect(await carry(server, client, answer(2, text('unspeakable')))).toMatchObject({ id: 2, error });
    await server.channel.send(notification('notifications/message', { data: 'unspeakable' }));
    await carry(server, client, request(3, 'ping'));
    expect(proxy.report).toMatchObject({ undelivered: 3, unanswered: 0 });
  });
});

describe('the report', () => {
  it('counts the paths and names what is left of the sandbox', async () => {
    const { client, server, finished } = await scene({ findLeaks: true });
    await carry(client, server, toolCall(1, 'read_file', { path: `${H}/a`, other: `${H}/b` }));
    await carry(server, client, answer(1, text(`see ${S}/c and ${S}/c`)));
    await carry(client, server, toolCall(2, 'list', {}));
    await carry(server, client, answer(2, text(`see ${S}/d, https://example.com/?p=${S}/e`)));
    await server.channel.close();
    expect(await finished).toEqual({
      messages: { host: 2, sandbox: 2 },
      rewritten: { host: 1, sandbox: 2 },
      leaks: [
        { method: 'tools/call', path: `${S}/c`, count: 2 },
        { method: 'tools/call', path: `${S}/e`, count: 1 },
      ],
      refused: [],
      unanswered: 0,
      undelivered: 0,
    });
  });

  it('looks for leaks only when asked', async () => {
    const { client, server, proxy } = await scene();
    await carry(client, server, toolCall(1, 'read_file', {}));
    await carry(server, client, answer(1, text(`see ${S}/c`)));
    expect(proxy.report.leaks).toEqual([]);
  });

  it('does not grow with what a server says', async () => {
    const { client, server, proxy } = await scene({ findLeaks: true });
    await carry(client, server, toolCall(1, 'read_file', {}));
    const many = Array.from({ length: 1500 }, (_, index) => `${S}/${index}`).join('\n');
    await carry(server, client, answer(1, text(many)));
    expect(proxy.report.leaks).toHaveLength(1000);
  });
});
