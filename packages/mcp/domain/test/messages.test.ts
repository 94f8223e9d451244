import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type JsonRpcCall, McpMessageRewriter, type Side } from '@cleveragents/mcp-domain';

const H = '/home/user/project';
const S = '/workspace';
const options = { hostRoot: H, sandboxRoot: S };
const rewriter = new McpMessageRewriter(options);
const call = (method: string, params: unknown, to: Side): unknown =>
  rewriter.rewriteCall({ jsonrpc: '2.0', id: 1, method, params }, { to }).params;
const result = (method: string, answer: unknown, to: Side, tool?: string): unknown =>
  rewriter.rewriteAnswer({ jsonrpc: '2.0', id: 1, result: answer }, { to, method, tool }).result;

/** What is named [H] in the sender's words arrives named [S], or the other way round; [=H] and [=S] must arrive as they are. */
const said = (value: unknown, from: Side): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll('[=]', from === 'host' ? H : S)
      .replaceAll('[]', from === 'host' ? H : S),
  );
const heard = (value: unknown, from: Side): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll('[=]', from === 'host' ? H : S)
      .replaceAll('[]', from === 'host' ? S : H),
  );

const BLOCKS = [
  { type: 'text', text: 'see []/a' },
  { type: 'image', data: '[=]/a', mimeType: 'image/png' },
  { type: 'resource_link', uri: 'file://[]/a', name: '[]/a', description: 'see []/a' },
  { type: 'resource', resource: { uri: 'file://[]/a', text: 'see [=]/a', blob: '[=]/a' } },
  { type: 'something new', text: 'see [=]/a' },
];

const CALLS_OF_THE_CLIENT: readonly (readonly [string, unknown])[] = [
  [
    'tools/call',
    {
      name: 't',
      arguments: { path: '[]/a', content: '[=]/a' },
      _meta: { progressToken: '[=]/a' },
      requestState: '[=]/a',
    },
  ],
  [
    'tools/call',
    {
      name: 't',
      inputResponses: {
        '[=]/k': { roots: [{ uri: 'file://[]' }] },
        b: { action: 'accept', content: { dir: '[]' } },
      },
    },
  ],
  ['resources/read', { uri: 'file://[]/a' }],
  ['resources/subscribe', { uri: 'file://[]/a' }],
  ['resources/unsubscribe', { uri: 'file://[]/a' }],
  [
    'subscriptions/listen',
    { notifications: { toolsListChanged: true, resourceSubscriptions: ['file://[]/a'] } },
  ],
  ['prompts/get', { name: '[=]', arguments: { path: '[]/a' } }],
  [
    'completion/complete',
    {
      ref: { type: 'ref/resource', uri: 'file://[]/{a}' },
      argument: { name: '[=]', value: '[]/s' },
      context: { arguments: { dir: '[]' } },
    },
  ],
  ['notifications/progress', { progressToken: '[=]/a', progress: 1, message: 'at []/a' }],
  ['notifications/cancelled', { requestId: '[=]/a', reason: 'left []' }],
  ['tools/list', { cursor: '[=]/a' }],
  ['tasks/get', { taskId: '[=]/a' }],
  ['example.com/new', { path: '[=]/a' }],
];

const CALLS_OF_THE_SERVER: readonly (readonly [string, unknown])[] = [
  [
    'sampling/createMessage',
    {
      messages: [
        { role: 'user', content: BLOCKS },
        { role: 'user', content: BLOCKS[0] },
      ],
      systemPrompt: 'in []',
    },
  ],
  [
    'elicitation/create',
    {
      message: 'Use []/a?',
      requestedSchema: { type: 'object', properties: { dir: { type: 'string', default: '[]' } } },
    },
  ],
  ['notifications/message', { level: 'info', logger: '[=]', data: { text: 'wrote []/a', list: ['[]/b'] } }],
  ['notifications/progress', { progressToken: '[=]/a', message: 'at []/a' }],
  ['notifications/resources/updated', { uri: 'file://[]/a' }],
  ['notifications/subscriptions/acknowledged', { notifications: { resourceSubscriptions: ['file://[]/a'] } }],
  ['notifications/tasks/status', { taskId: '[=]/a', statusMessage: 'reads []/a' }],
  ['notifications/elicitation/complete', { elicitationId: '[=]/a' }],
  ['roots/list', { _meta: { x: '[=]' } }],
];

const RESULTS_OF_THE_SERVER: readonly (readonly [string, unknown])[] = [
  [
    'initialize',
    { protocolVersion: '2025-11-25', serverInfo: { name: '[=]' }, instructions: 'Files are in [].' },
  ],
  ['server/discover', { instructions: 'Files are in [].', supportedVersions: ['[=]'] }],
  [
    'tools/call',
    { content: BLOCKS.slice(0, 4), structuredContent: { path: '[]/a', '[]/key': 1 }, _meta: { x: '[=]' } },
  ],
  ['tools/call', { isError: true, content: [{ type: 'text', text: "ENOENT: open '[]/a'" }] }],
  [
    'tools/call',
    {
      resultType: 'input_required',
      requestState: '[=]/a',
      inputRequests: { '[=]': { method: 'elicitation/create', params: { message: 'Use []?' } } },
    },
  ],
  ['tools/call', { task: { taskId: '[=]/a', statusMessage: 'reads []/a' } }],
  [
    'tools/list',
    {
      nextCursor: '[=]',
      tools: [
        {
          name: '[=]',
          description: 'Works in [].',
          inputSchema: {
            $id: '[=]',
            properties: {
              default: { default: '[]/a', enum: ['[]', 1], pattern: '[=]/a', description: 'like []/b' },
            },
            anyOf: [{ const: '[]' }],
          },
          outputSchema: { properties: { p: { examples: ['[]/a'] } } },
        },
      ],
    },
  ],
  [
    'resources/list',
    { resources: [{ uri: 'file://[]/a', name: '[]/a', title: 'a', description: 'of []', mimeType: '[=]' }] },
  ],
  [
    'resources/templates/list',
    { resourceTemplates: [{ uriTemplate: 'file://[]/{path}', name: 'x', description: 'of []' }] },
  ],
  [
    'resources/read',
    {
      contents: [
        { uri: 'file://[]/a', text: 'see [=]/a' },
        { uri: 'file://[]/b', blob: '[=]/a' },
      ],
    },
  ],
  [
    'prompts/list',
    {
      prompts: [{ name: '[=]', description: 'of []', arguments: [{ name: '[=]', description: 'below []' }] }],
    },
  ],
  [
    'prompts/get',
    {
      description: 'of []',
      messages: [
        { role: 'user', content: BLOCKS[0] },
        { role: 'user', content: BLOCKS[3] },
      ],
    },
  ],
  ['completion/complete', { completion: { values: ['[]/src', 'other'], total: 2 } }],
  ['tasks/list', { tasks: [{ taskId: '[=]', statusMessage: 'in []' }] }],
  ['example.com/new', { path: '[=]/a' }],
];

const RESULTS_OF_THE_CLIENT: readonly (readonly [string, unknown])[] = [
  ['roots/list', { roots: [{ uri: 'file://[]', name: 'project' }, { uri: 'file://[]/sub' }] }],
  [
    'sampling/createMessage',
    {
      role: 'assistant',
      model: '[=]',
      content: [{ type: 'tool_use', id: '[=]', name: '[=]', input: { path: '[]/a' } }, BLOCKS[0]],
    },
  ],
  ['elicitation/create', { action: 'accept', content: { dir: '[]/a' } }],
];

it.each(CALLS_OF_THE_CLIENT)('%s reaches the server: %j', (method, params) => {
  expect(call(method, said(params, 'host'), 'sandbox')).toEqual(heard(params, 'host'));
});
it.each(CALLS_OF_THE_SERVER)('%s reaches the client: %j', (method, params) => {
  expect(call(method, said(params, 'sandbox'), 'host')).toEqual(heard(params, 'sandbox'));
});
it.each(RESULTS_OF_THE_SERVER)('the answer to %s reaches the client: %j', (method, answer) => {
  expect(result(method, said(answer, 'sandbox'), 'host')).toEqual(heard(answer, 'sandbox'));
});
it.each(RESULTS_OF_THE_CLIENT)('the answer to %s reaches the server: %j', (method, answer) => {
  expect(result(method, said(answer, 'host'), 'sandbox')).toEqual(heard(answer, 'host'));
});

it('keeps what a content reader read', () => {
  const answer = {
    content: [{ type: 'text', text: `see ${S}` }],
    structuredContent: { content: `see ${S}` },
  };
  expect(result('tools/call', answer, 'host', 'read_text_file')).toEqual(answer);
});

it('rewrites what an error says', () => {
  const error = { code: -32602, message: `no ${S}/a`, data: { path: `${S}/a` } };
  expect(
    rewriter.rewriteAnswer({ jsonrpc: '2.0', id: 1, error }, { to: 'host', method: 'example.com/new' }),
  ).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32602, message: `no ${H}/a`, data: { path: `${H}/a` } },
  });
});

describe('what may be cached for others', () => {
  const list = (uri: string): unknown => ({
    resources: [{ uri, name: 'a' }],
    ttlMs: 5,
    cacheScope: 'public',
  });

  it('is nothing that holds paths of this host', () => {
    expect(result('resources/list', list(`file://${S}/a`), 'host')).toMatchObject({ cacheScope: 'private' });
    expect(result('resources/list', list('demo://a'), 'host')).toMatchObject({ cacheScope: 'public' });
    expect(result('tools/call', { content: [{ type: 'text', text: S }] }, 'host')).not.toHaveProperty(
      'cacheScope',
    );
  });
});

it('counts what it rewrote, by the side that reads it, and tells of it', () => {
  const told: string[] = [];
  const counting = new McpMessageRewriter({ ...options, onRewrite: ({ before }) => told.push(before) });
  counting.rewriteCall(
    { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: `file://${H}` } },
    { to: 'sandbox' },
  );
  counting.rewriteCall(
    { jsonrpc: '2.0', method: 'notifications/message', params: { data: `${S} ${S}/a` } },
    { to: 'host' },
  );
  expect(counting.rewritten).toEqual({ host: 2, sandbox: 1 });
  expect(told).toEqual([`file://${H}`, S, `${S}/a`]);
});

it('finds what is left of the sandbox in a message', () => {
  expect(rewriter.sandboxPathsIn({ a: [`see ${S}/a`, 1, null], [`${S}/b`]: H })).toEqual([
    `${S}/a`,
    `${S}/b`,
  ]);
});

it.each([
  ['tools/list', (deep: unknown) => ({ tools: [{ inputSchema: deep }] })],
  ['tools/call', (deep: unknown) => ({ structuredContent: deep })],
  ['sampling/createMessage', (deep: unknown) => ({ content: deep })],
])('refuses a hostile depth in an answer to %s, and looks for leaks all the same', (method, answerOf) => {
  const levels = 20_000;
  const nested = (open: string, close: string): unknown =>
    JSON.parse(open.repeat(levels) + '[]' + close.repeat(levels));
  for (const deep of [nested('[', ']'), nested('{"type":"tool_result","content":[', ']}')]) {
    if (method !== 'sampling/createMessage' || !Array.isArray(deep))
      expect(() => result(method, answerOf(deep), 'host')).toThrow(
        expect.objectContaining({ code: 'MCP_PATH_TOO_DEEP' }),
      );
    expect(rewriter.sandboxPathsIn(answerOf(deep))).toEqual([]);
  }
});

it('takes whatever comes as parameters or result', () => {
  const methods = [
    ...CALLS_OF_THE_CLIENT,
    ...CALLS_OF_THE_SERVER,
    ...RESULTS_OF_THE_SERVER,
    ...RESULTS_OF_THE_CLIENT,
  ].map(([method]) => method);
  const keys = fc.constantFrom(
    'arguments',
    'content',
    'tools',
    'uri',
    'messages',
    'task',
    'name',
    'inputRequests',
    'contents',
    '__proto__',
    'type',
  );
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.dictionary(
      keys,
      fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.dictionary(keys, fc.jsonValue({ maxDepth: 1 }))),
      { maxKeys: 4 },
    ),
  );
  fc.assert(
    fc.property(fc.constantFrom(...methods, '__proto__', 'constructor'), odd, (method, value) => {
      const before = JSON.stringify(value);
      const request: JsonRpcCall = { jsonrpc: '2.0', id: 1, method, params: value };
      for (const to of ['host', 'sandbox'] as const) {
        expect(JSON.stringify(rewriter.rewriteCall(request, { to }).params)).toBe(before);
        expect(JSON.stringify(result(method, value, to))).toBe(before);
      }
      expect(JSON.stringify(value)).toBe(before);
    }),
  );
});
