import { describe, expect, it } from '@jest/globals';
import { RACED_TOOLS, raceTool } from '../swap-race.ts';

const MINUTES = 60_000;
const OPERATIONS = 10_000;

describe('while somebody swaps a directory for a link that leads out', () => {
  it.each(RACED_TOOLS)(
    `%s never shows or changes anything outside in ${OPERATIONS} calls`,
    async (tool) => {
      const report = await raceTool(tool, OPERATIONS);
      console.log(tool, JSON.stringify(report));
      expect(report).toMatchObject({ operations: OPERATIONS, leaks: 0 });
      expect(report.successes).toBeGreaterThan(OPERATIONS / 20);
      expect(report.refusals).toBeGreaterThan(OPERATIONS / 100);
    },
    20 * MINUTES,
  );

  it.each(['naive-read', 'naive-write'] as const)(
    'the same race is lost again and again without pinning: %s',
    async (tool) => {
      const report = await raceTool(tool, OPERATIONS * 5);
      console.log(tool, JSON.stringify(report));
      expect(report.leaks).toBeGreaterThan(1);
    },
    20 * MINUTES,
  );

  it(
    'the form for other systems has the window that its documentation admits',
    async () => {
      const report = await raceTool('file-write', OPERATIONS * 20, { confinement: 'checked', untilLeaks: 1 });
      console.log('checked', JSON.stringify(report));
      expect(report.leaks).toBe(1);
    },
    20 * MINUTES,
  );
});
