import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, it } from '@jest/globals';
import { serveToolsOverHttp } from '@cleveragents/mcp-adapter-sdk';
import { McpToolServer } from '@cleveragents/mcp-application';
import type { OfferedResources, OfferedTool } from '@cleveragents/mcp-ports';
import { temporaryDirectory } from '@cleveragents/shared-testing';
import { failuresOf, withToken } from './support/conformance.ts';
import { useServingBench } from './support/serving-bench.ts';

const TOKEN = 'a token that is long enough';

/**
 * What the official suite asks of every server. Its other scenarios call tools, prompts and resources that only its own example
 * has, or ask for capabilities that we do not declare: logging, completion, prompts, subscriptions, sampling, elicitation.
 */
const OF_ANY_SERVER = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'server-sse-multiple-streams',
  'server-sse-polling',
  'dns-rebinding-protection',
];

/** Those of its example's tools and resources that our server of tools could offer. */
const OF_ITS_EXAMPLE = [
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-with-progress',
  'json-schema-2020-12',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
];

const bench = useServingBench({ 'a.txt': 'first\n' });

it('mcp serve does what the official suite asks of any server', async () => {
  const words = [...bench.cli, 'mcp', 'serve', '--http', '0', '--root', bench.repository.root].slice(1);
  const env = { ...bench.environment(), CLEVERAGENTS_MCP_TOKEN: TOKEN };
  const server = spawn(process.execPath, words, { env, stdio: ['ignore', 'inherit', 'pipe'] });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const line = await new Promise<string>((resolve) =>
    createInterface({ input: server.stderr }).once('line', resolve),
  );
  const folder = temporaryDirectory();
  const url = new URL(line.slice('Serving on '.length));
  const failures = await withToken(url, TOKEN, (gate) => failuresOf(OF_ANY_SERVER, gate, folder.path));
  server.kill('SIGTERM');
  expect(failures).toEqual({});
  expect(await ended).toBe(0);
  await folder.remove();
});

it('tools and resources of the example of the official suite, offered by our server, do what it asks', async () => {
  const open = (): McpToolServer => new McpToolServer({ tools: EXAMPLE_TOOLS, resources: EXAMPLE_RESOURCES });
  const serving = await serveToolsOverHttp({
    name: 'example',
    version: '1.0.0',
    open,
    port: 0,
    token: TOKEN,
  });
  const folder = temporaryDirectory();
  const failures = await withToken(new URL(serving.url), TOKEN, (gate) =>
    failuresOf(OF_ITS_EXAMPLE, gate, folder.path),
  );
  await serving.close();
  expect(failures).toEqual({});
  await folder.remove();
});

const tool = (name: string, call: OfferedTool['call'], inputSchema = {}): OfferedTool => ({
  name,
  title: name,
  description: name,
  inputSchema: { type: 'object', ...inputSchema },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  call,
});

const done = (): ReturnType<OfferedTool['call']> =>
  Promise.resolve({ success: true, output: { done: true } });

const EXAMPLE_TOOLS: readonly OfferedTool[] = [
  tool('test_simple_text', done),
  tool('test_error_handling', () => Promise.reject(new Error('This tool intentionally fails'))),
  tool('test_tool_with_progress', (_input, { onProgress }) => {
    for (const words of ['begun', 'half done', 'done']) onProgress?.(words);
    return done();
  }),
  tool('json_schema_2020_12_tool', done, {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: {
      address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  }),
];

function resource(uri: string, pattern: RegExp, body: (uri: string) => object): OfferedResources {
  const isTemplate = uri.includes('{');
  return {
    ...{ uri, isTemplate, name: uri, title: uri, description: uri },
    read: (asked) =>
      Promise.resolve(
        pattern.test(asked)
          ? ({ uri: asked, ...body(asked) } as Awaited<ReturnType<OfferedResources['read']>>)
          : undefined,
      ),
  };
}

const EXAMPLE_RESOURCES: readonly OfferedResources[] = [
  resource('test://static-text', /^test:\/\/static-text$/, () => ({ mimeType: 'text/plain', text: 'text' })),
  resource('test://static-binary', /^test:\/\/static-binary$/, () => ({
    mimeType: 'image/png',
    blob: 'iVBORw==',
  })),
  resource('test://template/{id}/data', /^test:\/\/template\/[^/]+\/data$/, (uri) => ({
    mimeType: 'application/json',
    text: JSON.stringify({ id: uri.split('/')[3] }),
  })),
];
