import { describe, expect, it } from '@jest/globals';
import { RACED_TOOLS, raceTool } from './swap-race.ts';

describe('while somebody swaps a directory for a link that leads out', () => {
  it.each(RACED_TOOLS)('%s never shows or changes anything outside', async (tool) => {
    // A search starts a program or wakes a thread; the long run is in test/torture.
    const operations = tool === 'file-search' ? 50 : 300;
    expect(await raceTool(tool, operations)).toMatchObject({ operations, leaks: 0 });
  });

  it.each(['naive-read', 'naive-write'] as const)(
    'the race can be lost, by whoever checks the path first and opens it then: %s',
    async (tool) => {
      expect((await raceTool(tool, 200_000, { untilLeaks: 1 })).leaks).toBe(1);
    },
  );
});
