import { describe, expect, it } from '@jest/globals';
import { FAILURE_META_KEY, McpToolServer } from '@cleveragents/mcp-application';
import type { OfferedResources, OfferedTool } from '@cleveragents/mcp-ports';
import { CodedError } from '@cleveragents/shared-kernel';

const tool = (name: string, call: OfferedTool['call'] = () => Promise.resolve(done({}))): OfferedTool => ({
  name,
  title: `Title of ${name}`,
  description: `Does ${name}`,
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  call,
});
const done = (output: Readonly<Record<string, unknown>>): { success: true; output: typeof output } => ({
  success: true,
  output,
});
const listening = (): { readonly signal: AbortSignal } => ({ signal: new AbortController().signal });

describe('the list', () => {
  it('is sorted by name and says everything but how a tool does it', () => {
    const server = new McpToolServer({ tools: [tool('b'), tool('a')] });
    const { call: _a, ...a } = tool('a');
    const { call: _b, ...b } = tool('b');
    expect(server.listTools()).toEqual({ tools: [a, b] });
  });

  it('comes in pages, each tool once', () => {
    const names = ['e', 'b', 'd', 'a', 'c'];
    const server = new McpToolServer({ tools: names.map((name) => tool(name)), pageSize: 2 });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = server.listTools(cursor);
      expect(page.tools.length).toBeLessThanOrEqual(2);
      seen.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('has no more than its pages', () => {
    const server = new McpToolServer({ tools: [tool('a'), tool('b')], pageSize: 2 });
    expect(server.listTools().nextCursor).toBeUndefined();
    expect(() => server.listTools('z')).toThrow(expect.objectContaining({ code: 'MCP_CURSOR_UNKNOWN' }));
  });

  it.each([[['a/b']], [['']], [['a', 'a']], [['x'.repeat(65)]]])(
    'refuses tools that are named %j',
    (names) => {
      const tools = names.map((name) => tool(name));
      expect(() => new McpToolServer({ tools })).toThrow(
        expect.objectContaining({ code: 'VALIDATION_FAILED' }),
      );
    },
  );
});

describe('a call', () => {
  it('that was cancelled before its turn is not begun', async () => {
    let calls = 0;
    const counting = tool('a', () => {
      calls += 1;
      return Promise.resolve(done({}));
    });
    const answer = await new McpToolServer({ tools: [counting] }).callTool(
      'a',
      {},
      { signal: AbortSignal.abort() },
    );
    expect(answer).toMatchObject({ isError: true, _meta: { [FAILURE_META_KEY]: { code: 'CANCELLED' } } });
    expect(calls).toBe(0);
  });

  it('may answer with links to what is too large, or no text, also when it fails', async () => {
    const links = [{ uri: 'demo://a', name: 'a', size: 3 }];
    const error = { code: 'TOO_LARGE', message: 'too large' };
    const tools = [
      tool('a', () => Promise.resolve({ ...done({ b: 1 }), links })),
      tool('f', () => Promise.resolve({ success: false, error, links })),
    ];
    const server = new McpToolServer({ tools });
    const link = { type: 'resource_link', ...links[0] };
    expect((await server.callTool('a', {}, listening())).content).toEqual([
      { type: 'text', text: '{"b":1}' },
      link,
    ]);
    expect(await server.callTool('f', {}, listening())).toMatchObject({
      isError: true,
      content: [{ text: 'TOO_LARGE: too large' }, link],
    });
  });

  const calling = (call: OfferedTool['call']): McpToolServer =>
    new McpToolServer({ tools: [tool('t', call)] });

  it('answers with structured content and its twin in text', async () => {
    const server = calling((input) => Promise.resolve(done({ got: input })));
    const answer = await server.callTool('t', { a: [1] }, listening());
    expect(answer).toEqual({
      structuredContent: { got: { a: [1] } },
      content: [{ type: 'text', text: '{"got":{"a":[1]}}' }],
      isError: false,
    });
  });

  it('that fails is an answer with a code, for the model and for programs', async () => {
    const error = { code: 'FILE_NOT_FOUND', message: 'a.txt is not there', hint: 'List the folder.' };
    const server = calling(() => Promise.resolve({ success: false, error }));
    expect(await server.callTool('t', {}, listening())).toEqual({
      content: [{ type: 'text', text: 'FILE_NOT_FOUND: a.txt is not there\nList the folder.' }],
      isError: true,
      _meta: { [FAILURE_META_KEY]: error },
    });
  });

  it.each([
    [new CodedError('PLAN_NOT_FOUND', 'no plan', { hint: 'make one' }), 'PLAN_NOT_FOUND: no plan\nmake one'],
    [new Error('oops'), 'INTERNAL: The tool failed: oops\nThis is a fault of the tool: please report it.'],
  ])('of a tool that throws %p is such an answer', async (thrown, text) => {
    const server = calling(() => Promise.reject(thrown));
    expect(await server.callTool('t', {}, listening())).toMatchObject({ content: [{ text }], isError: true });
  });

  it('that was cancelled says so', async () => {
    const controller = new AbortController();
    const server = calling((_input, { signal }) => {
      controller.abort();
      return Promise.reject(signal.reason as Error);
    });
    expect(await server.callTool('t', {}, { signal: controller.signal })).toMatchObject({
      content: [{ text: 'CANCELLED: The call was cancelled' }],
    });
  });

  it('of a tool that is not there is an error of the program that called', async () => {
    const unknown = new McpToolServer({ tools: [tool('a')] }).callTool('b', {}, listening());
    await expect(unknown).rejects.toMatchObject({ code: 'MCP_TOOL_UNKNOWN', hint: 'Use one of: a' });
  });
});

describe('a resource', () => {
  const offered = (prefix: string): OfferedResources => ({
    uri: `${prefix}{+path}`,
    isTemplate: true,
    name: prefix,
    title: prefix,
    description: prefix,
    read: (uri) =>
      Promise.resolve(uri.startsWith(prefix) ? { uri, mimeType: 'text/plain', text: prefix } : undefined),
  });

  it('is read by the first who knows its URI', async () => {
    const server = new McpToolServer({ tools: [], resources: [offered('a:'), offered('b:')] });
    expect(await server.readResource('b:x', listening())).toEqual({
      uri: 'b:x',
      mimeType: 'text/plain',
      text: 'b:',
    });
    await expect(server.readResource('c:x', listening())).rejects.toMatchObject({
      code: 'MCP_RESOURCE_UNKNOWN',
      hint: 'Use one of: a:{+path}, b:{+path}',
    });
  });
});
