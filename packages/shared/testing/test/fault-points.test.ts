import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { forEachFaultPoint, temporaryDirectory, type FaultCampaign } from '@cleveragents/shared-testing';

const SUM = 100;

function campaign(visited: string[]): FaultCampaign<string> {
  return {
    script: new URL('./fixtures/move-money.ts', import.meta.url),
    prepare: async () => {
      const { path } = temporaryDirectory();
      writeFileSync(join(path, 'from'), '60');
      writeFileSync(join(path, 'to'), '40');
      return await Promise.resolve(path);
    },
    scene: (path) => ({ arguments: [path], roots: [path] }),
    verify: async (path, { kind, index }) => {
      const [from, to] = ['from', 'to'].map((name) => Number(readFileSync(join(path, name), 'utf8')));
      visited.push(`${kind} ${index.toString()}: ${String(from)} + ${String(to)}`);
      return await Promise.resolve();
    },
  };
}

describe('forEachFaultPoint', () => {
  it('visits every point with every kind of fault that fits it, each on a fresh state', async () => {
    const visited: string[] = [];
    const report = await forEachFaultPoint({
      ...campaign(visited),
      kinds: ['kill-before', 'kill-during', 'error:ENOSPC'],
      concurrency: 1,
    });
    const { calls } = report;
    expect(calls.filter(({ name }) => name === 'writeFileSync')).toHaveLength(2);
    const torn = calls.filter(({ tearable }) => tearable).length;
    expect(report.runs).toBe(2 * calls.length + torn);
    expect(visited).toHaveLength(report.runs + 1);
    expect(visited[0]).toBe('none 0: 50 + 50');
    expect(visited).toContain('kill-before 1: 60 + 40');
    expect(visited).toContain('kill-during 1: 5 + 40');
  });

  it('rejects with the point at which a program proves unsafe', async () => {
    const verify: FaultCampaign<string>['verify'] = async (path) => {
      const sum = ['from', 'to'].map((name) => Number(readFileSync(join(path, name), 'utf8')));
      expect((sum[0] ?? 0) + (sum[1] ?? 0)).toBe(SUM);
      return await Promise.resolve();
    };
    await expect(forEachFaultPoint({ ...campaign([]), verify, concurrency: 1 })).rejects.toThrow(
      /^kill-before at call \d, (openSync|writeSync|writeFileSync) .*(from|to): /,
    );
  });

  it('takes a sample that holds the first point and the last', async () => {
    const visited: string[] = [];
    const { calls, runs } = await forEachFaultPoint({
      ...campaign(visited),
      kinds: ['kill-after'],
      sample: 2,
    });
    expect(runs).toBe(2);
    expect(
      visited
        .slice(1)
        .map((line) => line.split(':')[0])
        .sort(),
    ).toEqual(['kill-after 1', `kill-after ${calls.length.toString()}`].sort());
  });
});
