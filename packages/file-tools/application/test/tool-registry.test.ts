import { describe, expect, it } from '@jest/globals';
import { ChangeSetCapture, registerFileTools, ToolRegistry } from '@cleveragents/file-tools-application';
import { InMemoryChangeSetStore, JavaScriptTextSearcher } from '@cleveragents/file-tools-adapter-fs';
import type { AgentTool } from '@cleveragents/file-tools-ports';
import { FixedClock, InMemoryRootedFileSystem } from '@cleveragents/shared-testing';

const tool = (name: string, execute: AgentTool['execute']): AgentTool => ({
  name,
  title: name,
  description: name,
  inputSchema: {},
  outputSchema: {},
  annotations: { readOnly: false, destructive: true, idempotent: false },
  execute,
});

const options = () => ({ files: new InMemoryRootedFileSystem(), searcher: new JavaScriptTextSearcher() });

describe('a registry', () => {
  it('answers, whatever happens', async () => {
    const registry = new ToolRegistry();
    registry.register(tool('breaks', () => Promise.reject(new TypeError('a fault'))));
    expect(await registry.execute('breaks', {})).toMatchObject({
      success: false,
      error: { code: 'INTERNAL' },
    });
    expect(await registry.execute('unknown', {})).toMatchObject({
      error: { code: 'TOOL_UNKNOWN', hint: 'Use one of: breaks' },
    });
    expect(await registry.execute('__proto__', {})).toMatchObject({ error: { code: 'TOOL_UNKNOWN' } });
  });

  it('has one tool of a name', () => {
    const registry = new ToolRegistry();
    registerFileTools(registry, options());
    expect(() => registerFileTools(registry, options())).toThrow(
      expect.objectContaining({ code: 'TOOL_ALREADY_REGISTERED' }),
    );
    expect(registry.list()).toHaveLength(6);
  });

  it('ends a call that its caller no longer wants', async () => {
    const registry = new ToolRegistry();
    registerFileTools(registry, options());
    const signal = AbortSignal.abort();
    for (const { name } of registry.list())
      expect(
        await registry.execute(
          name,
          { path: '.', pattern: 'x', content: '', old_text: 'x', new_text: '' },
          { signal },
        ),
      ).toMatchObject({ success: false });
    const result = await registry.execute('builtin/file-write', { path: 'a', content: 'x' }, { signal });
    expect(result).toMatchObject({ success: false, error: { code: 'CANCELLED' } });
  });
});

describe('a record', () => {
  const clock = new FixedClock(new Date('2026-01-02T03:04:05Z'));

  async function recorded(): Promise<{
    capture: ChangeSetCapture;
    store: InMemoryChangeSetStore;
    registry: ToolRegistry;
  }> {
    const store = new InMemoryChangeSetStore();
    const capture = new ChangeSetCapture({ planId: 'plan', store, clock });
    const registry = new ToolRegistry();
    registerFileTools(registry, { ...options(), changeSet: capture });
    await registry.execute('builtin/file-write', { path: 'a', content: 'abc' });
    return { capture, store, registry };
  }

  it('goes on where the store has it from', async () => {
    const { capture, store } = await recorded();
    const again = await ChangeSetCapture.resume({ planId: 'plan', store, clock });
    expect(again.entries).toEqual(capture.entries);
    await again.clear();
    expect((await ChangeSetCapture.resume({ planId: 'plan', store })).entries).toEqual([]);
  });

  it('is JSON as agents see it', async () => {
    const { capture } = await recorded();
    expect(JSON.parse(JSON.stringify(capture))).toEqual({
      plan_id: 'plan',
      summary: '1 change recorded: 1 create',
      entries: [
        expect.objectContaining({
          path: 'a',
          before_hash: null,
          size_after: 3,
          at: '2026-01-02T03:04:05.000Z',
        }),
      ],
      net: [expect.objectContaining({ operation: 'create', tool_name: 'builtin/file-write' })],
    });
  });

  it('tells the caller when it could not be kept, and keeps what it knows', async () => {
    const { capture, store, registry } = await recorded();
    store.append = () => Promise.reject(new Error('the disk is full'));
    const result = await registry.execute('builtin/file-write', { path: 'b', content: 'x' });
    expect(result).toMatchObject({ success: false, error: { code: 'CHANGE_NOT_RECORDED' } });
    expect(capture.entries).toHaveLength(2);
  });

  it('also knows what a tool did that failed, or that threw', async () => {
    const { files } = options();
    const capture = new ChangeSetCapture({ planId: 'plan', clock });
    const scribble = (end: () => ReturnType<AgentTool['execute']>): AgentTool =>
      tool('scribble', async () => {
        await files.write('x', new TextEncoder().encode(`${capture.entries.length}`));
        return end();
      });
    await capture
      .wrap(
        scribble(async () => ({ success: false, error: { code: 'X', message: 'x' } })),
        { files },
      )
      .execute({ path: 'x' });
    const registry = new ToolRegistry();
    registry.register(
      capture.wrap(
        scribble(() => Promise.reject(new Error('x'))),
        { files },
      ),
    );
    expect(await registry.execute('scribble', { path: 'x' })).toMatchObject({ error: { code: 'INTERNAL' } });
    expect(capture.entries.map(({ operation }) => operation)).toEqual(['create', 'modify']);
  });

  it('is of a plan', () => {
    expect(() => new ChangeSetCapture({ planId: '' })).toThrow('plan_id cannot be empty');
  });

  it('keeps calls at once apart', async () => {
    const { capture, registry } = await recorded();
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        registry.execute('builtin/file-write', { path: 'a', content: `${index}`.padStart(3, '0') }),
      ),
    );
    const hashes = capture.entries.map(({ beforeHash, afterHash }) => [beforeHash, afterHash]);
    for (const [index, [before]] of hashes.entries()) expect(before).toBe(hashes[index - 1]?.[1] ?? null);
    expect(hashes).toHaveLength(21);
  });
});
