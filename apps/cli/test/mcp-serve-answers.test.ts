import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { CLIENT_V1, CLIENT_V2_MODERN } from './support/mcp-clients.ts';
import { failsWith, outputOf, useServingBench } from './support/serving-bench.ts';

const bench = useServingBench({ 'a.txt': 'first\n' });

const PAGE_BYTES = 256 * 1024;

it.each([CLIENT_V1, CLIENT_V2_MODERN])(
  '$name: a patch of any size, in pages and as a resource',
  async (kind) => {
    bench.createPlan('p');
    const client = await bench.serve(['--plan', 'p'], kind);
    const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index} 目录\n`).join('');
    outputOf(await client.callTool('file_write', { path: 'large.txt', content: lines }));
    const pages: string[] = [];
    let offset: unknown = 0;
    for (let first = true; offset !== null; first = false) {
      const answer = await client.callTool('sandbox_diff', first ? {} : { offset });
      const { patch, truncated, next_offset, total_bytes } = outputOf(answer);
      expect(Buffer.byteLength(patch as string)).toBeLessThanOrEqual(PAGE_BYTES);
      expect(truncated).toBe(next_offset !== null);
      if (truncated === true)
        expect(answer.content[1]).toMatchObject({
          type: 'resource_link',
          uri: 'cleveragents://sandbox/diff',
          size: total_bytes,
        });
      pages.push(patch as string);
      offset = next_offset;
    }
    expect(pages.length).toBeGreaterThan(2);
    const { contents } = await client.readResource('cleveragents://sandbox/diff');
    expect(contents).toMatchObject([{ mimeType: 'text/x-diff', text: pages.join('') }]);
    expect(pages.join('')).toContain('+line 39999 目录\n');
    expect(await client.callTool('sandbox_diff', { offset: 1e9 })).toMatchObject(
      failsWith('VALIDATION_FAILED'),
    );
    expect(await client.callTool('sandbox_diff', { offset: -1 })).toMatchObject(
      failsWith('VALIDATION_FAILED'),
    );
  },
);

it('a line that is longer than a page is never cut within a character', async () => {
  bench.createPlan('p');
  const client = await bench.serve(['--plan', 'p']);
  outputOf(await client.callTool('file_write', { path: 'long.txt', content: '目'.repeat(200_000) }));
  let whole = '';
  let offset: unknown = 0;
  while (offset !== null) {
    const { patch, next_offset } = outputOf(await client.callTool('sandbox_diff', { offset }));
    whole += patch as string;
    offset = next_offset;
  }
  expect(whole).toContain(`+${'目'.repeat(200_000)}\n`);
  expect(whole).not.toContain('\ufffd');
});

it.each([
  { where: 'a directory', args: (root: string) => ['--root', root] },
  { where: 'a sandbox', args: () => ['--plan', 'p'] },
])('what is no text is linked to, and read as a resource: in $where', async ({ args }) => {
  bench.createPlan('p');
  const client = await bench.serve(args(bench.repository.root));
  const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff]);
  const input = { path: 'pictures/a b#.png', content: bytes.toString('base64'), encoding: 'base64' };
  outputOf(await client.callTool('file_write', input));
  const answer = await client.callTool('file_read', { path: input.path });
  expect(answer).toMatchObject(failsWith('FILE_IS_BINARY'));
  const link = answer.content.find(({ type }) => type === 'resource_link');
  expect(link).toMatchObject({ uri: 'cleveragents://files/pictures/a%20b%23.png', mimeType: 'image/png' });
  expect(await client.readResource(link?.['uri'] as string)).toMatchObject({
    contents: [{ uri: link?.['uri'], mimeType: 'image/png', blob: input.content }],
  });
  expect(await client.readResource('cleveragents://files/a.txt')).toMatchObject({
    contents: [{ mimeType: 'text/plain', text: 'first\n' }],
  });
});

it.each([
  'cleveragents://files/../../etc/passwd',
  'cleveragents://files/%2e%2e/%2e%2e/etc/passwd',
  'cleveragents://files//etc/passwd',
  'cleveragents://files/%2Fetc%2Fpasswd',
  'cleveragents://files/%',
  'cleveragents://files/none',
  'cleveragents://files/',
  'cleveragents://other',
  'file:///etc/passwd',
])('no resource leads out of the root: %s', async (uri) => {
  const client = await bench.serve(['--root', bench.repository.root]);
  await expect(client.readResource(uri)).rejects.toMatchObject({ code: -32_602 });
});

it('says that long work has begun, to who wants to know', async () => {
  bench.createPlan('p');
  const client = await bench.serve(['--plan', 'p', '--allow-apply']);
  for (const tool of ['sandbox_status', 'sandbox_diff', 'plan_apply']) {
    const seen: number[] = [];
    if (tool === 'plan_apply') outputOf(await client.callTool('file_write', { path: 'b', content: 'b' }));
    outputOf(await client.callTool(tool, {}, { onProgress: (progress) => void seen.push(progress) }));
    expect(seen[0]).toBe(1);
  }
});

it('a search that was cancelled holds nobody up', async () => {
  writeFileSync(join(bench.repository.root, 'slow.txt'), `${'a'.repeat(200_000)}\n`.repeat(20));
  const client = await bench.serve(['--root', bench.repository.root]);
  const cancelling = new AbortController();
  const search = client.callTool(
    'file_search',
    { path: '.', pattern: '(a+)+$x' },
    { signal: cancelling.signal },
  );
  cancelling.abort('enough');
  await expect(search).rejects.toThrow();
  expect(outputOf(await client.callTool('file_read', { path: 'a.txt' }))).toMatchObject({
    content: 'first\n',
  });
});

it('writes that were cancelled while they waited are not done', async () => {
  bench.createPlan('p');
  const client = await bench.serve(['--plan', 'p', '--checkpoint', 'pre_write']);
  const cancelling = new AbortController();
  const first = client.callTool('file_write', { path: '1', content: '1' });
  const waiting = ['2', '3'].map((path) =>
    client.callTool('file_write', { path, content: path }, { signal: cancelling.signal }),
  );
  cancelling.abort('enough');
  for (const call of waiting) await expect(call).rejects.toThrow();
  outputOf(await first);
  outputOf(await client.callTool('file_write', { path: '4', content: '4' }));
  const { files } = outputOf(await client.callTool('sandbox_status'));
  expect((files as { readonly path: string }[]).map(({ path }) => path)).toEqual(['1', '4']);
});

it.each(['checkpoint_create', 'checkpoint_list', 'checkpoint_rollback'])(
  '%s can be cancelled, and the server goes on',
  async (tool) => {
    bench.createPlan('p');
    const client = await bench.serve(['--plan', 'p']);
    const created = outputOf(await client.callTool('checkpoint_create', { reason: 'first' }));
    const { checkpoint_id } = created['checkpoint'] as { readonly checkpoint_id: string };
    const cancelling = new AbortController();
    const input = tool === 'checkpoint_rollback' ? { checkpoint_id } : {};
    const call = client.callTool(tool, input, { signal: cancelling.signal });
    cancelling.abort('enough');
    await expect(call).rejects.toThrow();
    const { checkpoints } = outputOf(await client.callTool('checkpoint_list'));
    expect(checkpoints).toEqual(
      expect.arrayContaining([expect.objectContaining({ checkpoint_id, reason: 'first' })]),
    );
  },
);
