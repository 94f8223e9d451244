import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasCode } from '@cleveragents/shared-kernel';
import { temporaryDirectory } from '@cleveragents/shared-testing';
import { bundledCli } from './support/bundled-cli.ts';
import {
  type AnyClient,
  CLIENT_V1,
  CLIENT_V2,
  CLIENT_V2_MODERN,
  type ClientKind,
} from './support/mcp-clients.ts';
import { HOST, proxied, type ProxiedServer } from './support/proxied-server.ts';

type Fields = Readonly<Record<string, unknown>>;

const KINDS = [CLIENT_V1, CLIENT_V2, CLIENT_V2_MODERN];

const folder = temporaryDirectory();
let cli: readonly string[];
beforeAll(async () => {
  cli = await bundledCli(folder.path);
});
afterAll(() => folder.remove());

const opened = new Map<string, ProxiedServer>();
afterAll(async () => {
  await Promise.all([...opened.values()].map((server) => server.stop()));
});

/** One connection for all tests that need no files of their own: a server takes longer to start than to answer. */
async function open(
  server: Parameters<typeof proxied>[0],
  kind: ClientKind,
  files?: Readonly<Record<string, string>>,
): Promise<ProxiedServer> {
  const key = JSON.stringify([server, kind.name, files]);
  const known = opened.get(key) ?? (await proxied(server, { cli, kind }, files));
  opened.set(key, known);
  return known;
}

/** Calls every tool that the server lists, in the order of `calls`, and answers what each said. */
async function callAll(
  client: AnyClient,
  calls: Readonly<Record<string, Fields>>,
  leftOut: readonly string[] = [],
): Promise<ReadonlyMap<string, string>> {
  const listed = (await client.listTools()).map(({ name }) => name);
  const known = [...Object.keys(calls), ...leftOut];
  expect(listed.filter((name) => !known.includes(name))).toEqual([]);
  const said = new Map<string, string>();
  for (const [name, toolArguments] of Object.entries(calls)) {
    if (!listed.includes(name)) continue;
    const answer = await client.callTool(name, toolArguments);
    expect({ name, answer }).toMatchObject({ answer: expect.not.objectContaining({ isError: true }) });
    said.set(name, JSON.stringify(answer));
  }
  return said;
}

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

it('the host root is not on this disk', () => {
  expect(existsSync(HOST)).toBe(false);
});

describe.each(KINDS)('$name: the filesystem server', (kind: ClientKind) => {
  it('answers every tool with host paths alone', async () => {
    const { client, sandbox, wire } = await open('filesystem', kind, { 'a.txt': 'one\n', 'p.png': PIXEL });
    const said = await callAll(client, {
      list_allowed_directories: {},
      create_directory: { path: `${HOST}/made` },
      write_file: { path: `${HOST}/made/b.txt`, content: 'two\n' },
      edit_file: { path: `${HOST}/made/b.txt`, edits: [{ oldText: 'two', newText: 'three' }] },
      read_file: { path: `${HOST}/a.txt` },
      read_text_file: { path: `${HOST}/a.txt`, head: 1 },
      read_media_file: { path: `${HOST}/p.png` },
      read_multiple_files: { paths: [`${HOST}/a.txt`, `${HOST}/missing`, `${HOST}/made/b.txt`] },
      list_directory: { path: HOST },
      list_directory_with_sizes: { path: HOST },
      directory_tree: { path: HOST },
      move_file: { source: `${HOST}/made/b.txt`, destination: `${HOST}/c.txt` },
      search_files: { path: HOST, pattern: '**/*.txt' },
      get_file_info: { path: `${HOST}/c.txt` },
    });
    expect(said.get('list_allowed_directories')).toContain(HOST);
    expect(said.get('search_files')).toContain(`${HOST}/a.txt`);
    expect(said.get('search_files')).toContain(`${HOST}/c.txt`);
    expect(said.get('move_file')).toContain(`${HOST}/made/b.txt`);
    expect(readFileSync(join(sandbox, 'c.txt'), 'utf8')).toBe('three\n');
    expect(wire()).toContain(HOST);
    expect(said.get('read_multiple_files')).toContain(`${HOST}/made/b.txt:\\nthree`);
    expect(wire()).not.toContain(sandbox);
  });
});

describe.each([CLIENT_V1, CLIENT_V2])('$name: the filesystem server', (kind: ClientKind) => {
  it('says in host paths what is wrong', async () => {
    const { client, sandbox, wire } = await open('filesystem', kind);
    const missing = await client.callTool('read_text_file', { path: `${HOST}/missing` });
    expect(missing.isError).toBe(true);
    expect(JSON.stringify(missing.content)).toContain(`${HOST}/missing`);
    const outside = await client.callTool('list_directory', { path: `${HOST}/../..` });
    expect(outside.isError).toBe(true);
    await expect(client.callTool('no_such_tool')).resolves.toMatchObject({ isError: true });
    expect(wire()).not.toContain(sandbox);
  });

  it('writes the bytes that the client sent, also when they are paths', async () => {
    const { client, sandbox } = await open('filesystem', kind);
    for (const content of [
      HOST,
      `${HOST}/a`,
      `file://${HOST}/a`,
      `${sandbox}/a`,
      `\ufeff${HOST}\r\n\t目录`,
    ]) {
      await client.callTool('write_file', { path: `${HOST}/x`, content });
      expect(readFileSync(join(sandbox, 'x'), 'utf8')).toBe(content);
    }
  });

  it('reads, edits and writes a file that holds both roots without another change', async () => {
    const { client, sandbox } = await open('filesystem', kind);
    const text = `first ${HOST}/a\nsecond ${sandbox}/a\nthird\n`;
    await client.callTool('write_file', { path: `${HOST}/both`, content: text });
    const { content } = await client.callTool('read_text_file', { path: `${HOST}/both` });
    expect(content).toEqual([{ type: 'text', text }]);
    const edits = [{ oldText: `second ${sandbox}/a\nthird`, newText: `second ${sandbox}/a\n${HOST}/b` }];
    await client.callTool('edit_file', { path: `${HOST}/both`, edits });
    expect(readFileSync(join(sandbox, 'both'), 'utf8')).toBe(text.replace('third', `${HOST}/b`));
  });
});

describe.each(KINDS)('$name: the memory server', (kind: ClientKind) => {
  it('remembers paths, and answers every tool with host paths alone', async () => {
    const { client, sandbox, wire } = await open('memory', kind);
    const file = (name: string): string => `${HOST}/${name}`;
    const said = await callAll(client, {
      create_entities: {
        entities: [
          { name: file('a'), entityType: 'file', observations: [`seen in ${file('b')}`] },
          { name: file('b'), entityType: 'file', observations: [] },
        ],
      },
      create_relations: { relations: [{ from: file('a'), to: file('b'), relationType: 'imports' }] },
      add_observations: { observations: [{ entityName: file('b'), contents: [file('c'), 'words'] }] },
      read_graph: {},
      search_nodes: { query: 'words' },
      open_nodes: { names: [file('a')] },
      delete_observations: { deletions: [{ entityName: file('b'), observations: ['words'] }] },
      delete_relations: { relations: [{ from: file('a'), to: file('b'), relationType: 'imports' }] },
      delete_entities: { entityNames: [file('b')] },
    });
    expect(said.get('open_nodes')).toContain(`seen in ${file('b')}`);
    expect(said.get('search_nodes')).toContain(file('c'));
    expect(readFileSync(join(sandbox, 'memory.jsonl'), 'utf8')).toContain(`"name":"${sandbox}/a"`);
    expect(wire()).not.toContain(sandbox);
  });
});

describe.each(KINDS)('$name: the everything server', (kind: ClientKind) => {
  it('answers every tool with host paths alone', async () => {
    const { client, sandbox, wire } = await open('everything', kind);
    const said = await callAll(
      client,
      {
        echo: { message: `${HOST}/a` },
        'get-annotated-message': { messageType: 'error', includeImage: true },
        'get-env': {},
        'get-resource-links': { count: 2 },
        'get-resource-reference': { resourceType: 'Blob', resourceId: 2 },
        'get-structured-content': { location: 'Chicago' },
        'get-sum': { a: 1, b: 2 },
        'get-tiny-image': {},
        'gzip-file-as-resource': { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resource' },
        'toggle-simulated-logging': {},
        'toggle-subscriber-updates': {},
        'trigger-long-running-operation': { duration: 0.1, steps: 2 },
        'get-roots-list': {},
        'trigger-elicitation-request': {},
        'trigger-sampling-request': { prompt: `describe ${HOST}/a` },
      },
      [
        'simulate-research-query',
        'trigger-sampling-request-async',
        'trigger-elicitation-request-async',
        'trigger-url-elicitation',
      ],
    );
    expect(said.get('echo')).toContain(`Echo: ${HOST}/a`);
    expect(said.get('get-env')).toContain(
      `\\\\\\"WORKSPACE\\\\\\": \\\\\\"${HOST}`.replaceAll('\\\\\\"', '\\"'),
    );
    expect(wire()).not.toContain(sandbox);
  });
});

describe.each([CLIENT_V1, CLIENT_V2])('$name: the everything server', (kind: ClientKind) => {
  it('is read by its resources', async () => {
    const { client } = await open('everything', kind);
    const { content } = await client.callTool('get-resource-links', { count: 1 });
    const link = content.find(({ type }) => type === 'resource_link');
    expect(await client.readResource(link?.['uri'] as string)).toMatchObject({
      contents: [{ uri: link?.['uri'] }],
    });
  });

  it('reports its progress', async () => {
    const { client } = await open('everything', kind);
    const seen: number[] = [];
    await client.callTool(
      'trigger-long-running-operation',
      { duration: 0.2, steps: 4 },
      { onProgress: (progress) => void seen.push(progress) },
    );
    expect(seen.slice(0, 3)).toEqual([1, 2, 3]);
  });

  it('never answers what was cancelled, and goes on with the rest', async () => {
    const { client, wire } = await open('everything', kind);
    const before = wire().length;
    const controller = new AbortController();
    const steps: number[] = [];
    const cancelled = client.callTool(
      'trigger-long-running-operation',
      { duration: 0.4, steps: 4 },
      {
        signal: controller.signal,
        onProgress: (step) => {
          steps.push(step);
          controller.abort('enough');
        },
      },
    );
    await expect(cancelled).rejects.toThrow();
    expect(steps).toEqual([1]);
    await client.callTool('trigger-long-running-operation', { duration: 0.6, steps: 1 });
    expect(
      wire()
        .slice(before)
        .match(/completed/g),
    ).toHaveLength(1);
  });

  it('that dies gives an error to who waits, and its end is the end of the proxy', async () => {
    const { client, serverPid, exitCode, errors } = await open('everything', kind, { 'of-its-own': '' });
    const pending = client.callTool(
      'trigger-long-running-operation',
      { duration: 60, steps: 600 },
      { onProgress: () => process.kill(serverPid(), 'SIGKILL') },
    );
    await expect(pending).rejects.toMatchObject({
      message: expect.stringContaining('The MCP server ended before it answered tools/call'),
    });
    await client.closed;
    expect(exitCode()).toBe(128 + 9);
    expect(errors()).toContain('The MCP server ended by SIGKILL');
  });
});

it('a task that was promised for later is read as what it was promised for', async () => {
  const { client, sandbox, wire } = await open('everything', CLIENT_V1);
  expect(await client.callAsTask?.('simulate-research-query', { topic: `${HOST}/a` })).toMatchObject({
    type: 'result',
    result: { content: [{ text: expect.stringContaining(`# Research Report: ${HOST}/a`) }] },
  });
  expect(wire()).not.toContain(sandbox);
});

describe('the command', () => {
  const proxy = (
    ...words: readonly string[]
  ): { readonly status: number | null; readonly errors: string } => {
    const [node = '', ...args] = [...cli, 'mcp', 'proxy', ...words];
    const { status, stdout, stderr } = spawnSync(node, args, { encoding: 'utf8', input: '' });
    expect(stdout).toBe('');
    return { status, errors: stderr };
  };
  const MAP = ['--map', `${HOST}=/workspace`];

  it.each([
    [['--map', 'nothing', '--', 'true'], 2, 'It is not clear what "nothing" maps'],
    [['--map', '/a=/b=/c', '--', 'true'], 2, 'it could be cut in several places'],
    [['--map', '/a=b', '--', 'true'], 2, 'It is not clear'],
    [['--map', '/a=/b', '--map', '/a=/c', '--', 'true'], 2, 'Two roots are the same directory'],
    [['--', 'true'], 2, 'No mapping'],
    [[...MAP, '--', '/nowhere/mcp-server'], 127, 'could not be started'],
    [[...MAP, '--', 'sh', '-c', 'exit 9'], 9, ''],
    [[...MAP, '--', 'sh', '-c', 'kill -TERM $$'], 143, ''],
  ])('%j ends with code %i', (words, code, said) => {
    const { status, errors } = proxy(...words);
    expect(errors).toContain(said);
    expect(status).toBe(code);
  });

  it('says errors as JSON on the side when it was asked to: standard output is for the protocol', () => {
    const { errors } = proxy('--json', '--map', 'nothing', '--', 'true');
    expect(JSON.parse(errors)).toMatchObject({
      command: 'mcp proxy',
      error: { code: 'CLI_USAGE' },
      exitCode: 2,
    });
  });

  /** Says its process id, chatters until nobody reads it, and ends with its input, as servers do. */
  const CHATTERER = `process.stdin.resume().on('end', () => process.exit(0));
    process.stdout.on('error', () => process.exit(0));
    setInterval(() => console.log(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/pid', params: { pid: process.pid } })), 5);`;
  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      if (hasCode(error, 'ESRCH')) return false;
      throw error;
    }
  };

  it.each<[string, (proxy: ChildProcessWithoutNullStreams) => void]>([
    ['the client is killed', ({ stdin, stdout }) => [stdin, stdout].forEach((pipe) => pipe.destroy())],
    ['the proxy itself is killed', (running) => running.kill('SIGKILL')],
  ])('leaves no server behind when %s', async (_what, kill) => {
    const [node = '', ...args] = [...cli, 'mcp', 'proxy', ...MAP, '--', process.execPath, '-e', CHATTERER];
    const running = spawn(node, args);
    const ended = new Promise((resolve) => running.once('exit', resolve));
    const line = await new Promise<string>((resolve) =>
      createInterface({ input: running.stdout }).once('line', resolve),
    );
    const { params } = JSON.parse(line) as { readonly params: { readonly pid: number } };
    kill(running);
    await ended;
    while (isRunning(params.pid)) await new Promise((resolve) => setImmediate(resolve));
  });

  it('passes a signal on, and ends as the server does', async () => {
    const server = `process.on('SIGTERM', () => process.exit(7)); process.stdin.resume();
      console.log(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/up' }));`;
    const [node = '', ...args] = [...cli, 'mcp', 'proxy', ...MAP, '--', process.execPath, '-e', server];
    const running = spawn(node, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = new Promise<number | null>((resolve) => running.once('exit', resolve));
    await new Promise((resolve) => createInterface({ input: running.stdout }).once('line', resolve));
    running.kill('SIGTERM');
    expect(await ended).toBe(7);
  });
});
