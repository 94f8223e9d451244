import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from '@jest/globals';
import { useServingBench } from './support/serving-bench.ts';

interface Configured {
  readonly type?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Servers = Readonly<Record<string, Configured>>;

const GUIDE = readFileSync(new URL('../../../docs/guides/mcp-clients.md', import.meta.url), 'utf8');
const TOKEN = 'a token that is long enough';

/** Every server that the guide configures, with the client that it is for. */
const CONFIGURED = [...GUIDE.matchAll(/```json\n([^]*?)```/g)].map(([block, json = ''], index) => {
  const { mcpServers, servers } = JSON.parse(json) as {
    readonly mcpServers?: Servers;
    readonly servers?: Servers;
  };
  const [server] = Object.values(mcpServers ?? servers ?? {});
  if (server === undefined) throw new Error(`This configures no server: ${block}`);
  return { number: index + 1, server };
});
const COMMANDS = [...GUIDE.matchAll(/```sh\n([^]*?)```/g)]
  .flatMap(([, text = '']) => text.split('\n'))
  .filter((line) => line.startsWith('npx '))
  .map((line) => line.split(' '));

const bench = useServingBench({ 'a.txt': 'first\n' });

/** The command as it is on this machine: the app that was just built, in the project of the test. */
function here(words: readonly string[], project: string): readonly string[] {
  expect(words.slice(0, 3)).toEqual(['npx', '-y', '@cleveragents/cli']);
  return [
    ...bench.cli,
    ...words.slice(3).map((word) => word.replace(/\$\{workspaceFolder\}|\/path\/to\/project/, project)),
  ];
}

const INFO = { name: 'test', version: '1.0.0' };

describe('the guide for MCP clients', () => {
  it('configures each of the clients that it speaks of, over stdio and over HTTP', () => {
    expect(CONFIGURED.filter(({ server }) => server.url === undefined)).toHaveLength(5);
    expect(CONFIGURED.filter(({ server }) => server.url !== undefined)).toHaveLength(3);
  });

  it.each(CONFIGURED.filter(({ server }) => server.args?.includes('serve')))(
    'configuration $number starts a server in the sandbox of the plan that it makes',
    async ({ server }) => {
      const { root } = bench.repository;
      bench.createPlan('agent');
      const [command = '', ...args] = here([server.command ?? '', ...(server.args ?? [])], root);
      const client = new Client(INFO);
      await client.connect(new StdioClientTransport({ command, args, cwd: root, env: bench.environment() }));
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('checkpoint_rollback');
      await client.callTool({ name: 'file_write', arguments: { path: 'a.txt', content: 'second\n' } });
      const { structuredContent } = await client.callTool({ name: 'checkpoint_list' });
      expect(structuredContent).toMatchObject({ checkpoints: [{ type: 'pre_write' }] });
      await client.close();
    },
  );

  it('its configuration of the proxy is a command that is understood', async () => {
    const proxied = CONFIGURED.find(({ server: { args } }) => args?.includes('proxy'))?.server;
    const words = here([proxied?.command ?? '', ...(proxied?.args ?? [])], bench.repository.root);
    const place = words.indexOf('docker');
    expect(words.slice(place)).toEqual(expect.arrayContaining(['exec', '/workspace']));
    const [command = '', ...args] = [...words.slice(0, place), 'cat'];
    const proxy = spawn(command, args, { env: bench.environment(), stdio: ['pipe', 'pipe', 'inherit'] });
    const said = new Promise<string>((resolve) =>
      createInterface({ input: proxy.stdout }).once('line', resolve),
    );
    const call = { name: 'list', arguments: { path: `${bench.repository.root}/src` } };
    proxy.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })}\n`);
    expect(await said).toContain('"/workspace/src"');
    proxy.stdin.end();
    expect(await new Promise((resolve) => proxy.once('exit', resolve))).toBe(0);
  });

  it('its server over HTTP is found where its clients look, with the header that they send', async () => {
    bench.createPlan('agent');
    const words = COMMANDS.find((line) => line.includes('--http')) ?? [];
    const [command = '', ...args] = here(words, bench.repository.root).map((word) =>
      word === '7331' ? '0' : word,
    );
    const env = { ...bench.environment(), CLEVERAGENTS_MCP_TOKEN: TOKEN };
    const server = spawn(command, args, { env, stdio: ['ignore', 'inherit', 'pipe'] });
    const line = await new Promise<string>((resolve) =>
      createInterface({ input: server.stderr }).once('line', resolve),
    );
    const url = new URL(line.slice('Serving on '.length));
    for (const { server: configured } of CONFIGURED.filter(
      ({ server: { url: given } }) => given !== undefined,
    )) {
      expect(configured.url).toBe(`http://127.0.0.1:7331${url.pathname}`);
      const header = configured.headers?.['Authorization'] ?? '';
      const Authorization = header.replace(/\$\{(?:env:)?CLEVERAGENTS_MCP_TOKEN\}|\$\{input:token\}/, TOKEN);
      const client = new Client(INFO);
      await client.connect(
        new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization } } }),
      );
      expect((await client.listTools()).tools).not.toEqual([]);
      await client.close();
    }
    server.kill('SIGTERM');
    expect(await new Promise((resolve) => server.once('exit', resolve))).toBe(0);
  });

  it('its other commands work, in their order', () => {
    const others = COMMANDS.filter((line) => !line.includes('mcp'));
    expect(others).toHaveLength(3);
    for (const line of others) {
      const words = here(line, bench.repository.root).slice(bench.cli.length, -2);
      if (words[1] === 'apply')
        expect(bench.run('tool', 'call', 'file-write', '{"path":"b","content":""}').errors).toBe('');
      expect(bench.run(...words)).toEqual({ status: 0, errors: '' });
    }
  });
});
