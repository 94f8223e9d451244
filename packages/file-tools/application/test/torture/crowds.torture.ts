import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createTextSearcher } from '@cleveragents/file-tools-adapter-fs';
import { createFileTools, ToolRegistry } from '@cleveragents/file-tools-application';
import { openRootedFileSystem } from '@cleveragents/shared-adapter-fs';

const MINUTES = 60_000;
const ENTRIES = 1_000_000;
const MAKE = `
import os, sys
for i in range(int(sys.argv[2])): os.close(os.open(f"{sys.argv[1]}/{i:07}", os.O_CREAT))
`;

describe('a directory of a million entries', () => {
  it(
    'is listed and searched in bounded memory',
    async () => {
      const root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'cleveragents-crowd-'));
      try {
        execFileSync('python3', ['-c', MAKE, root, `${ENTRIES}`]);
        const registry = new ToolRegistry();
        const tools = { files: await openRootedFileSystem(root), searcher: await createTextSearcher() };
        for (const tool of createFileTools(tools)) registry.register(tool);
        const before = process.memoryUsage().rss;
        for (const [tool, input] of [
          ['file-list', { path: '.' }],
          ['file-list', { path: '.', pattern: '*9', limit: 100_000, recursive: true }],
          ['file-search', { path: '.', pattern: 'x', literal: true }],
          ['file-search', { path: '.', pattern: 'x', literal: false }],
        ] as const) {
          const started = performance.now();
          const result = await registry.execute(`builtin/${tool}`, input);
          const seconds = ((performance.now() - started) / 1000).toFixed(1);
          const grown = ((process.memoryUsage().rss - before) / 2 ** 20).toFixed(0);
          console.log(
            tool,
            JSON.stringify(input),
            `${seconds} s, ${grown} MiB more`,
            JSON.stringify(result).slice(0, 120),
          );
          if (!result.success) expect(result.error.code).toBe('SEARCH_TIMEOUT');
        }
        expect(process.memoryUsage().rss - before).toBeLessThan(1024 * 2 ** 20);
      } finally {
        rmSync(root, { recursive: true });
      }
    },
    10 * MINUTES,
  );
});
