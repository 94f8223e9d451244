import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isUlid } from '@cleveragents/shared-kernel';
import {
  stateDirectory,
  stateDirectoryPath,
  SystemClock,
  UlidGenerator,
} from '@cleveragents/shared-adapter-fs';
import { FixedClock, temporaryDirectory } from '@cleveragents/shared-testing';

describe('SystemClock', () => {
  it('tells the time of the machine', () => {
    const before = Date.now();
    const now = new SystemClock().now().getTime();
    expect(now >= before && now <= Date.now()).toBe(true);
  });
});

describe('UlidGenerator', () => {
  it('gives ULIDs that only grow, within one millisecond and when the clock goes back', () => {
    const clock = new FixedClock();
    const ids = new UlidGenerator(clock);
    const taken = Array.from({ length: 500 }, (_, index) => {
      if (index === 250) clock.advance(-60_000);
      return ids.next();
    });
    expect(taken.every(isUlid)).toBe(true);
    expect([...new Set(taken)].sort()).toEqual(taken);
  });
});

describe('stateDirectory', () => {
  it('tells its path to those that only look, and makes nothing for them', () => {
    const { path } = temporaryDirectory();
    const environment = { XDG_STATE_HOME: join(path, 'state') };
    const directory = stateDirectoryPath(environment, 'linux');
    expect(existsSync(join(path, 'state'))).toBe(false);
    expect(stateDirectory(environment, 'linux')).toBe(directory);
  });

  it('follows XDG_STATE_HOME and is private', () => {
    const { path } = temporaryDirectory();
    const directory = stateDirectory({ XDG_STATE_HOME: join(path, 'state'), HOME: '/nowhere' }, 'linux');
    expect(directory).toBe(join(path, 'state', 'cleveragents'));
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(stateDirectory({ XDG_STATE_HOME: join(path, 'state') }, 'linux')).toBe(directory);
  });

  it.each([undefined, '', 'relative/state'])(
    'falls back to the home folder for XDG_STATE_HOME %j',
    (value) => {
      const { path } = temporaryDirectory();
      expect(stateDirectory({ XDG_STATE_HOME: value, HOME: path }, 'linux')).toBe(
        join(path, '.local', 'state', 'cleveragents'),
      );
      expect(path).not.toBe(homedir());
    },
  );
});
