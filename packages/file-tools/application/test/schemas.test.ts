import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonSchema } from '@cleveragents/file-tools-ports';
import { ToolBench } from './tool-bench.ts';

let bench: ToolBench;
beforeAll(async () => {
  bench = await ToolBench.open();
  await bench.world.plantFile('sandbox/a', 'a text\n');
  await bench.world.plantFile('sandbox/b/c', Buffer.of(0, 1, 2));
  await bench.world.plantLink('sandbox/d', 'a');
});
afterAll(() => bench.close());

/** What the published schemas are made of; anything else fails here, so that nobody forgets it. */
function valuesOf(schema: JsonSchema, key = ''): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  switch (schema.type) {
    case 'object': {
      const properties = schema.properties as Record<string, JsonSchema>;
      const values = Object.entries(properties).map(([name, each]) => [name, valuesOf(each, name)] as const);
      expect(schema.additionalProperties).toBe(false);
      return fc.record(Object.fromEntries(values), { requiredKeys: schema.required as string[] });
    }
    case 'string':
      return stringsOf(schema, key);
    case 'integer': {
      const [min, max] = [schema.minimum as number, schema.maximum as number];
      return fc.oneof(fc.integer({ min, max: Math.min(max, min + 5) }), fc.integer({ min, max }));
    }
    case 'boolean':
      return fc.boolean();
    default:
      throw new Error(`The test does not know ${JSON.stringify(schema)}`);
  }
}

function stringsOf({ minLength = 0, maxLength, pattern }: JsonSchema, key: string): fc.Arbitrary<string> {
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  const known: Readonly<Record<string, readonly string[]>> = {
    path: ['a', 'b/c', 'b', '.', 'd', 'new/file', '../x', '.git/x'],
    encoding: ['utf-8', 'base64', 'latin-1', 'utf-16le', 'ascii', 'shift_jis'],
    old_text: ['a', 'text\n'],
    pattern: ['a', '(', '[a-z]+', '*', '**/*'],
    include: ['*', '**', '../*'],
  };
  const any = fc.string({
    unit: 'binary',
    minLength: minLength as number,
    maxLength: Math.min((maxLength as number | undefined) ?? 20, 20),
  });
  const names = known[key];
  return names === undefined ? any : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...names) }, any);
}

describe('the published schemas', () => {
  it('are plain JSON, and say what everything means', () => {
    for (const { inputSchema, outputSchema, description, title } of bench.registry.list()) {
      for (const schema of [inputSchema, outputSchema])
        expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
      expect([inputSchema.type, outputSchema.type]).toEqual(['object', 'object']);
      expect(Math.min(description.length, title.length)).toBeGreaterThan(5);
    }
  });

  it.each(['file-read', 'file-write', 'file-edit', 'file-delete', 'file-list', 'file-search'])(
    'of %s are right: what they allow is never an internal error, and what comes out is what they say',
    async (name) => {
      const tool = bench.registry.get(`builtin/${name}`);
      if (tool === undefined) throw new Error(`There is no ${name}`);
      await fc.assert(
        fc.asyncProperty(valuesOf(tool.inputSchema), async (input) => {
          const result = await tool.execute(input);
          if (result.success) expectMatch(tool.outputSchema, result.output);
          else {
            expect(result.error.code).not.toBe('INTERNAL');
            expect(result.error.message).not.toMatch(/^Invalid input/);
          }
        }),
        { numRuns: name === 'file-search' ? 60 : 150 },
      );
    },
  );

  it.each([
    [{ path: 5 }, 'Invalid input: path: expected string, received number'],
    [7, 'Invalid input: expected object, received number'],
    [{ path: 'a', extra: true }, 'Invalid input: Unrecognized key: "extra"'],
  ])('say what is wrong with %j, once', async (input, message) => {
    const result = await bench.registry.execute('builtin/file-read', input);
    expect(result).toMatchObject({ success: false, error: { code: 'INPUT_INVALID', message } });
  });

  it('refuse what they do not allow', async () => {
    const wrong: readonly (readonly [string, unknown])[] = [
      ['file-read', { path: 'a', offset: -1 }],
      ['file-read', { path: 'a', limit: 0 }],
      ['file-read', { path: 'a', extra: true }],
      ['file-write', { path: 'a' }],
      ['file-write', { path: 'a', content: 7 }],
      ['file-write', { path: 'a', content: '', expected_sha256: 'short' }],
      ['file-edit', { path: 'a', old_text: 'a' }],
      ['file-list', { path: '.', limit: 1e9 }],
      ['file-search', { path: '.', pattern: '' }],
      ['file-search', { path: '.', pattern: 'a', context: 1000 }],
    ];
    for (const [tool, input] of wrong) expect((await bench.fail(tool, input)).code).toBe('INPUT_INVALID');
  });
});

function expectMatch(schema: JsonSchema, value: unknown): void {
  if (schema.type === 'array') {
    for (const each of value as unknown[]) expectMatch(schema.items as JsonSchema, each);
  } else if (schema.type === 'object') {
    const properties = schema.properties as Record<string, JsonSchema>;
    const given = value as Record<string, unknown>;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(given)));
    expect(Object.keys(given)).toEqual(expect.arrayContaining((schema.required as string[]) ?? []));
    for (const [key, each] of Object.entries(given)) expectMatch(properties[key] ?? {}, each);
  } else if (schema.type === 'integer') expect(Number.isSafeInteger(value)).toBe(true);
  else expect(typeof value).toBe(schema.type);
}
