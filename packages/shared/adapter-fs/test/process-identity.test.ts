import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { isProcessAlive, processIdentity, processState } from '@cleveragents/shared-adapter-fs';
import { parseProcessMark, processMark } from '../src/process-identity.ts';

const onLinux = process.platform === 'linux';
/** Only Linux tells start times and boots. */
const onLinuxIt = onLinux ? it : it.failing;

describe('a process identity', () => {
  it('says that its own process is alive', () => {
    const me = processIdentity();
    expect(me.pid).toBe(process.pid);
    expect(isProcessAlive(me)).toBe(true);
    if (onLinux)
      expect(me).toMatchObject({
        bootId: expect.stringMatching(/^[0-9a-f]{32}$/),
        startTime: expect.stringMatching(/^\d+$/),
      });
  });

  it('says that a process is dead when it ended', () => {
    const { pid } = spawnSync('true');
    expect(processState({ ...processIdentity(), pid })).toBe('dead');
  });

  onLinuxIt('is not fooled by a process number that was given out again', () => {
    expect(processState({ ...processIdentity(), startTime: '1' })).toBe('dead');
  });

  onLinuxIt('says that a process is dead when nobody has reaped it yet', async () => {
    // The child ends when its parent is a program that does not care for children.
    const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const closed = once(parent, 'close');
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(line.toString());
      const stat = await untilZombie(pid);
      const startTime = stat.split(' ')[21] ?? '';
      expect(processState({ ...processIdentity(), pid, startTime })).toBe('dead');
    } finally {
      parent.kill('SIGKILL');
      await closed;
    }
  });

  onLinuxIt('says that every process of an earlier boot is dead', () => {
    expect(processState({ ...processIdentity(), bootId: '0'.repeat(32) })).toBe('dead');
  });

  it('can not tell of another machine or another container, and then says so', () => {
    const elsewhere = { ...processIdentity(), host: 'elsewhere', bootId: '0'.repeat(32) };
    expect(processState(elsewhere)).toBe('unknown');
    expect(isProcessAlive(elsewhere)).toBe(true);
    expect(processState({ ...processIdentity(), pidNamespace: '1', pid: 999_999_999 })).toBe('unknown');
  });
});

describe('a process mark', () => {
  it('tells its maker, and is never the same twice', () => {
    const marks = new Set(Array.from({ length: 1000 }, processMark));
    expect(marks.size).toBe(1000);
    for (const mark of marks) expect(parseProcessMark(mark)).toEqual(processIdentity());
    expect(processMark()).toMatch(/^[A-Za-z0-9._+-]{1,130}$/);
  });

  it.each(['', 'x', '.DS_Store', `${processMark()}x`, `x${processMark()}`, processMark().replace('p', 'p0')])(
    'is not read from %j',
    (name) => {
      expect(parseProcessMark(name)).toBeNull();
    },
  );
});

async function untilZombie(pid: number): Promise<string> {
  for (;;) {
    const stat = readFileSync(`/proc/${pid.toString()}/stat`, 'utf8');
    if (stat.includes(') Z ')) return stat;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
