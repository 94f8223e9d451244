import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';

/** Source files that a file of ours needs to be loaded: those behind `import()` come when they are asked for. */
async function filesLoadedWith(path: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL(`../src/${path}`, import.meta.url))],
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    outdir: 'out',
    platform: 'node',
    format: 'esm',
    conditions: ['@cleveragents/source'],
    mainFields: ['module', 'main'],
    logLevel: 'silent',
  });
  const loaded = new Set<string>();
  const load = (name: string): void => {
    const input = metafile.inputs[name];
    if (input === undefined || loaded.has(name)) return;
    loaded.add(name);
    for (const { path: next, kind } of input.imports) if (kind !== 'dynamic-import') load(next);
  };
  load(Object.keys(metafile.inputs).find((name) => name.endsWith(`src/${path}`)) ?? '');
  return [...loaded];
}

describe('what people wait for', () => {
  it.each(['main.ts', 'program.ts', 'commands/plan-list.ts', 'composition-root.ts'])(
    'is not the native engine: %s',
    async (path) => {
      const files = await filesLoadedWith(path);
      expect(files.length).toBeGreaterThan(0);
      expect(files.filter((file) => file.includes('git/adapter-native'))).toEqual([]);
    },
  );
});
