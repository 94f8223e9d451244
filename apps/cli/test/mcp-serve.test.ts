import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from '@jest/globals';
import {
  type AnyClient,
  CLIENT_V1,
  CLIENT_V2,
  CLIENT_V2_MODERN,
  type ToolAnswer,
} from './support/mcp-clients.ts';
import { failsWith, outputOf, useServingBench } from './support/serving-bench.ts';

const FILE_TOOLS = ['file_delete', 'file_edit', 'file_list', 'file_read', 'file_search', 'file_write'];
const CHECKPOINT_TOOLS = ['checkpoint_create', 'checkpoint_list', 'checkpoint_rollback'];
const SANDBOX_TOOLS = ['sandbox_diff', 'sandbox_status'];
const sorted = (...lists: readonly (readonly string[])[]): readonly string[] => lists.flat().sort();

const bench = useServingBench({ 'a.txt': 'first\n', 'src/b.txt': 'second\n' });
const { createPlan, environment, run, serve } = bench;

const namesOf = async (client: AnyClient): Promise<readonly string[]> =>
  (await client.listTools()).map(({ name }) => name);

describe.each([
  { kind: CLIENT_V1, revision: '2025-11-25' },
  { kind: CLIENT_V2, revision: '2025-11-25' },
  { kind: CLIENT_V2_MODERN, revision: '2026-07-28' },
])('with the $kind.name', ({ kind, revision }) => {
  it('an agent works in the sandbox of a plan, goes back, and applies', async () => {
    createPlan('p');
    const client = await serve(['--plan', 'p', '--allow-apply', '--checkpoint', 'pre_write'], kind);
    expect(await namesOf(client)).toEqual(
      sorted(FILE_TOOLS, CHECKPOINT_TOOLS, SANDBOX_TOOLS, ['plan_apply']),
    );
    expect(client.revision).toBe(revision);
    for (const { title, description, inputSchema, outputSchema, annotations } of await client.listTools())
      expect({ title, description, inputSchema, outputSchema, annotations }).toEqual({
        title: expect.stringMatching(/./),
        description: expect.stringMatching(/./),
        inputSchema: expect.objectContaining({ type: 'object' }),
        outputSchema: expect.objectContaining({ type: 'object' }),
        annotations: {
          readOnlyHint: expect.any(Boolean),
          destructiveHint: expect.any(Boolean),
          idempotentHint: expect.any(Boolean),
          openWorldHint: false,
        },
      });

    outputOf(await client.callTool('file_write', { path: 'new.txt', content: 'new\n' }));
    const edit = { path: 'a.txt', old_text: 'first', new_text: 'FIRST' };
    outputOf(await client.callTool('file_edit', edit));
    expect(outputOf(await client.callTool('file_read', { path: 'a.txt' }))).toMatchObject({
      content: 'FIRST\n',
    });
    expect(outputOf(await client.callTool('sandbox_status'))).toMatchObject({
      plan_id: 'p',
      status: 'open',
      files: [
        { path: 'a.txt', kind: 'modified' },
        { path: 'new.txt', kind: 'added' },
      ],
    });
    expect(outputOf(await client.callTool('sandbox_diff'))).toMatchObject({
      patch: expect.stringContaining('+FIRST'),
      truncated: false,
    });

    const listed = outputOf(await client.callTool('checkpoint_list'));
    const checkpoints = listed['checkpoints'] as { readonly checkpoint_id: string; readonly type: string }[];
    expect(checkpoints.map(({ type }) => type)).toEqual(['pre_write', 'pre_write']);
    const beforeEdit = checkpoints[1]?.checkpoint_id;
    expect(
      outputOf(await client.callTool('checkpoint_rollback', { checkpoint_id: beforeEdit })),
    ).toMatchObject({ restored_files: ['a.txt'], safety_checkpoint_id: expect.any(String) });
    expect(readFileSync(join(bench.repository.root, 'a.txt'), 'utf8')).toBe('first\n');

    expect(outputOf(await client.callTool('plan_apply', { message: 'take it' }))).toMatchObject({
      files: [{ path: 'new.txt' }],
    });
    expect(readFileSync(join(bench.repository.root, 'new.txt'), 'utf8')).toBe('new\n');
    expect(await client.callTool('file_write', { path: 'c.txt', content: '' })).toMatchObject({
      isError: true,
    });
  });

  it('failures are answers with a code', async () => {
    createPlan('p');
    const client = await serve(['--plan', 'p'], kind);
    expect(await client.callTool('file_read', { path: 'none' })).toMatchObject(failsWith('FILE_NOT_FOUND'));
    expect(await client.callTool('file_read', { path: '../x' })).toMatchObject({ isError: true });
    expect(await client.callTool('sandbox_status', { verbose: true })).toMatchObject(
      failsWith('VALIDATION_FAILED'),
    );
    const missing = { checkpoint_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };
    expect(await client.callTool('checkpoint_rollback', missing)).toMatchObject(
      failsWith('CHECKPOINT_NOT_FOUND'),
    );
    await expect(client.callTool('no_such_tool')).rejects.toThrow('There is no tool "no_such_tool"');
  });
});

it('does not offer to apply unless it was allowed', async () => {
  createPlan('p');
  const client = await serve([]);
  expect(await namesOf(client)).toEqual(sorted(FILE_TOOLS, CHECKPOINT_TOOLS, SANDBOX_TOOLS));
  await expect(client.callTool('plan_apply')).rejects.toThrow('There is no tool "plan_apply"');
});

it('never rolls one plan back through the server of another', async () => {
  createPlan('p');
  createPlan('q');
  const [p, q] = await Promise.all([serve(['--plan', 'p']), serve(['--plan', 'q'])]);
  const created = outputOf(await q.callTool('checkpoint_create', { reason: 'mine' }));
  const { checkpoint_id } = created['checkpoint'] as { readonly checkpoint_id: string };
  expect(await p.callTool('checkpoint_rollback', { checkpoint_id })).toMatchObject(
    failsWith('CHECKPOINT_NOT_FOUND'),
  );
});

it('writes that are asked for at once are all done, and all in the change set', async () => {
  createPlan('p');
  const client = await serve(['--plan', 'p', '--checkpoint', 'pre_write']);
  const names = Array.from({ length: 5 }, (_, index) => `n${index}.txt`);
  const answers = await Promise.all(
    names.map((path) => client.callTool('file_write', { path, content: path })),
  );
  answers.forEach(outputOf);
  const { files } = outputOf(await client.callTool('sandbox_status'));
  expect((files as { readonly path: string }[]).map(({ path }) => path)).toEqual(names);
  const { checkpoints } = outputOf(await client.callTool('checkpoint_list'));
  expect(checkpoints).toHaveLength(names.length);
});

it('serves the file tools alone in a directory, and changes nothing outside of it', async () => {
  const client = await serve(['--root', join(bench.repository.root, 'src')]);
  expect(await namesOf(client)).toEqual(FILE_TOOLS);
  outputOf(await client.callTool('file_write', { path: 'c.txt', content: 'c' }));
  expect(readFileSync(join(bench.repository.root, 'src/c.txt'), 'utf8')).toBe('c');
  expect(await client.callTool('file_read', { path: '../a.txt' })).toMatchObject({ isError: true });
});

it.each([
  [['--root', '.', '--plan', 'p'], 2],
  [['--root', '.', '--allow-apply'], 2],
  [['--root', '.', '--checkpoint', 'pre_write'], 2],
  [['--plan', 'none'], 4],
])('refuses mcp serve %j with exit code %i', (args, code) => {
  const { status, errors } = run('mcp', 'serve', ...args);
  expect(status).toBe(code);
  expect(errors).toMatch(/error: .*\n.*hint:/);
});

it('ends with its client', () => {
  createPlan('p');
  expect(run('mcp', 'serve', '--plan', 'p')).toEqual({ status: 0, errors: '' });
});

it('serves a plan whose project is dirty without touching the dirt', async () => {
  createPlan('p');
  writeFileSync(join(bench.repository.root, 'a.txt'), 'mine\n');
  const client = await serve(['--plan', 'p', '--allow-apply']);
  outputOf(await client.callTool('file_write', { path: 'a.txt', content: 'theirs\n' }));
  expect(await client.callTool('plan_apply')).toMatchObject({ isError: true });
  expect(readFileSync(join(bench.repository.root, 'a.txt'), 'utf8')).toBe('mine\n');
});

it('serves over HTTP to who has the token that it said, until a signal comes', async () => {
  createPlan('p');
  const [command = '', ...words] = [
    ...bench.cli,
    'mcp',
    'serve',
    '--http',
    '0',
    '--project',
    bench.repository.root,
  ];
  const server = spawn(command, words, { env: environment(), stdio: ['ignore', 'inherit', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => server.once('exit', resolve));
  const lines = createInterface({ input: server.stderr })[Symbol.asyncIterator]();
  const saidAfter = async (start: string): Promise<string> => {
    const { value } = (await lines.next()) as { readonly value: string };
    expect(value).toMatch(start);
    return value.slice(start.length);
  };
  const url = new URL(await saidAfter('Serving on '));
  const authorization = await saidAfter('Clients send: Authorization: ');
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }),
  );
  const written = await client.callTool({ name: 'file_write', arguments: { path: 'h.txt', content: 'h' } });
  outputOf(written as ToolAnswer);
  expect(outputOf((await client.callTool({ name: 'sandbox_status' })) as ToolAnswer)).toMatchObject({
    files: [{ path: 'h.txt', kind: 'added' }],
  });
  await client.close();
  server.kill('SIGTERM');
  expect(await ended).toBe(0);
});
