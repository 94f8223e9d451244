import { describe, expect, it } from '@jest/globals';
import {
  DEFAULT_CONTENT_FIELDS,
  DEFAULT_CONTENT_READERS,
  SandboxPathRewriter,
} from '@cleveragents/mcp-domain';

const H = '/home/user/project/a.txt';
const S = '/workspace/a.txt';
const roots = { hostRoot: '/home/user/project', sandboxRoot: '/workspace' };
const rewriter = new SandboxPathRewriter(roots);

describe('R10 the content of files in arguments', () => {
  it.each([
    ...['content', 'text', 'old_text', 'new_text', 'oldText', 'newText', 'old_string', 'new_string'],
    ...['data', 'blob', 'patch', 'diff', 'pattern', 'patterns', 'excludePatterns'],
  ])('%s is not touched, at any depth, whatever it holds', (field) => {
    const content = [H, { path: H, lines: [H] }];
    expect(
      rewriter.rewriteArguments({ path: H, [field]: H, edits: [{ [field]: content, path: H }] }),
    ).toEqual({
      path: S,
      [field]: H,
      edits: [{ [field]: content, path: S }],
    });
  });

  it('is not touched by keys or texts either', () => {
    const all = new SandboxPathRewriter({ ...roots, keys: true, text: true });
    expect(all.rewriteArguments({ content: { [H]: `see ${H}` }, note: { [H]: `see ${H}` } })).toEqual({
      content: { [H]: `see ${H}` },
      note: { [S]: `see ${S}` },
    });
  });

  it('goes by names of your own, for all tools or for one', () => {
    const own = new SandboxPathRewriter({
      ...roots,
      contentFields: ['body'],
      tools: { put: { contentFields: [...DEFAULT_CONTENT_FIELDS, 'value'] } },
    });
    expect(own.rewriteArguments({ body: H, content: H, value: H })).toEqual({
      body: H,
      content: S,
      value: S,
    });
    expect(own.rewriteArguments({ body: H, content: H, value: H }, { tool: 'put' })).toEqual({
      body: S,
      content: H,
      value: H,
    });
  });
});

describe('R10 the content of files in results', () => {
  const answer = {
    content: [
      { type: 'text', text: `# see ${S}` },
      { type: 'resource_link', uri: `file://${S}`, name: 'a.txt' },
      { type: 'resource', resource: { uri: `file://${S}`, text: `# see ${S}` } },
    ],
    structuredContent: { content: `# see ${S}`, path: S },
  };

  it.each(['read_file', 'read_text_file', 'read_multiple_files', 'file_read'])(
    'text and structured content of %s are not touched, links are rewritten',
    (tool) => {
      expect(rewriter.rewriteResult(answer, { tool })).toEqual({
        ...answer,
        content: [
          answer.content[0],
          { type: 'resource_link', uri: `file://${H}`, name: 'a.txt' },
          { type: 'resource', resource: { uri: `file://${H}`, text: `# see ${S}` } },
        ],
      });
    },
  );

  it('is rewritten for a tool that reads no files, and for one nobody named', () => {
    for (const tool of ['write_file', 'constructor', undefined])
      expect(rewriter.rewriteResult(answer, { tool })).toMatchObject({
        content: [{ text: `# see ${H}` }, {}, { resource: { text: `# see ${S}` } }],
        structuredContent: { content: `# see ${H}`, path: H },
      });
  });

  it('is no content when the reader failed', () => {
    const failure = { isError: true, content: [{ type: 'text', text: `ENOENT: no such file, open '${S}'` }] };
    expect(rewriter.rewriteResult(failure, { tool: 'read_file' }).content[0]?.text).toBe(
      `ENOENT: no such file, open '${H}'`,
    );
  });

  it('is not touched in a result of no shape that MCP knows', () => {
    for (const result of [`see ${S}`, [`see ${S}`], { lines: [`see ${S}`] }])
      expect(rewriter.rewriteResult(result, { tool: 'read_file' })).toEqual(result);
  });

  it('goes by readers of your own, as a list or tool by tool', () => {
    const own = new SandboxPathRewriter({
      ...roots,
      contentReaders: ['show'],
      tools: { print: { readsContent: true }, show_path: { readsContent: false } },
    });
    const text = `see ${S}`;
    const said = (tool: string): string =>
      own.rewriteResult({ content: [{ type: 'text', text }] }, { tool }).content[0]?.text ?? '';
    expect([said('show'), said('print')]).toEqual([text, text]);
    expect([said('show_path'), said('read_file')]).toEqual([`see ${H}`, `see ${H}`]);
  });

  it('lets an edit that was made from a read match', () => {
    const file = `cd ${S} && ls ${H}`;
    const read = rewriter.rewriteResult(
      { content: [{ type: 'text', text: file }] },
      { tool: 'read_text_file' },
    );
    const edit = rewriter.rewriteArguments({
      path: H,
      edits: [{ oldText: read.content[0]?.text, newText: '' }],
    });
    expect(edit).toEqual({ path: S, edits: [{ oldText: file, newText: '' }] });
  });

  it('names the tools of the reference server among the readers', () => {
    expect(DEFAULT_CONTENT_READERS).toEqual(
      expect.arrayContaining(['read_file', 'read_text_file', 'read_multiple_files']),
    );
  });
});

describe('what else a result keeps', () => {
  it.each([
    { content: [{ type: 'image', data: '/workspace/AA==', mimeType: 'image/jpeg' }] },
    { content: [{ type: 'audio', data: '/workspace/AA==', mimeType: 'audio/wav' }] },
    {
      contents: [
        { uri: 'demo://x', blob: '/workspace/AA==' },
        { uri: 'demo://y', text: '/workspace/a' },
      ],
    },
    { nextCursor: '/workspace/a', requestState: '/workspace/b', _meta: { progressToken: '/workspace/c' } },
    { content: [{ type: 'text', text: 'x', _meta: { 'example.com/id': '/workspace/a' } }] },
  ])('base64, bodies, cursors and metadata: %j', (result) => {
    expect(rewriter.rewriteResult(result)).toEqual(result);
  });

  it('but rewrites fields of the same name that are no such thing', () => {
    expect(rewriter.rewriteResult({ data: S, blob: S, text: S, rows: [{ nextCursor: S }] })).toEqual({
      data: H,
      blob: H,
      text: H,
      rows: [{ nextCursor: H }],
    });
  });
});

describe('what is told of a rewriting', () => {
  it('names every rewritten path in order, whole, in texts and in URIs', () => {
    const seen: string[] = [];
    const watched = new SandboxPathRewriter({
      ...roots,
      onRewrite: ({ to, before, after }) => seen.push(`${to}: ${before} -> ${after}`),
    });
    watched.rewriteArguments({ a: H, b: `file://${H}`, content: H, c: '/etc' });
    watched.rewriteResult({ text: `see ${S}, ${S}/../b and file://${S}`, path: S });
    expect(seen).toEqual([
      `sandbox: ${H} -> ${S}`,
      `sandbox: file://${H} -> file://${S}`,
      `host: ${S} -> ${H}`,
      'host: /workspace/a.txt/../b -> /home/user/project/b',
      `host: file://${S} -> file://${H}`,
      `host: ${S} -> ${H}`,
    ]);
  });

  it.each([
    ['see /workspace/a and file:///workspace/b', ['/workspace/a', '/workspace/b']],
    ['https://example.com/?path=/workspace/a', ['/workspace/a']],
    ['https://example.com/workspace/a, /workspace2, ~/workspace', []],
    ['see /home/user/project/a', []],
    ['/workspace/../x', []],
  ])('finds the sandbox paths that are left in %s', (text, paths) => {
    expect(rewriter.sandboxPathsIn(text)).toEqual(paths);
  });

  it('does not take a host path for one, when the host root lies inside the sandbox root', () => {
    const around = new SandboxPathRewriter({ hostRoot: '/ws/p', sandboxRoot: '/ws' });
    expect(around.sandboxPathsIn('see /ws/p/a and /ws/a')).toEqual(['/ws/a']);
  });
});
