import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { build } from 'esbuild';

it('runs where there is neither Node nor a browser', async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'domain',
    conditions: ['@cleveragents/source'],
  });
  const code = outputFiles[0]?.text ?? '';
  expect(code).not.toMatch(/\brequire\(|\bnode:|\bprocess\b|\bBuffer\b/);
  const context = createContext({});
  runInContext(code, context);
  const script = `JSON.stringify(
    new domain.SandboxPathRewriter({ hostRoot: '/p', sandboxRoot: '/ws' })
      .rewriteResult({ content: [{ type: 'text', text: 'see /ws/a and file:///ws/b' }] }))`;
  expect(JSON.parse(String(runInContext(script, context)))).toEqual({
    content: [{ type: 'text', text: 'see /p/a and file:///p/b' }],
  });
});
