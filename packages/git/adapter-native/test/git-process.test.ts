import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  commitFiles,
  GIT_ENVIRONMENT,
  makeRepository,
  temporaryFolder,
} from '@cleveragents/shared-testing/real-git';
import { Git } from '../src/git.ts';
import { findGitFault, isAtLeast } from '../src/git-version.ts';
import { gitEnvironment } from '../src/git-environment.ts';
import { NativeGitEngine } from '../src/native-git-engine.ts';
import { Deadline } from '../src/shared-parts.ts';

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

/** A program in git's place. */
function program(script: string): string {
  const path = join(folder, 'git');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const place = () => ({ gitDirectory: folder, workTree: null });
const git = (script: string): Git => new Git({ executable: program(script), environment: GIT_ENVIRONMENT });
const call = (deadline = new Deadline()) => ({ place: place(), args: ['status'], deadline });

describe('a git of ours', () => {
  it('inherits nothing that would send it elsewhere or make it talk', () => {
    const environment = gitEnvironment({
      PATH: '/bin',
      GIT_DIR: '/elsewhere',
      GIT_INDEX_FILE: '/elsewhere/index',
      GIT_WORK_TREE: '/elsewhere',
      GIT_OBJECT_DIRECTORY: '/elsewhere/objects',
      GIT_ALTERNATE_OBJECT_DIRECTORIES: '/elsewhere/objects',
      GIT_CONFIG_PARAMETERS: "'core.fsmonitor=evil'",
      GIT_NAMESPACE: 'x',
      GIT_TRACE: '1',
      GIT_EXTERNAL_DIFF: 'evil',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_CONFIG_GLOBAL: '/home/ada/.gitconfig',
    });
    expect(Object.keys(environment).filter((name) => environment[name]?.includes('elsewhere'))).toEqual([]);
    expect(environment).not.toHaveProperty('GIT_CONFIG_PARAMETERS');
    expect(environment).not.toHaveProperty('GIT_TRACE');
    expect(environment).not.toHaveProperty('GIT_EXTERNAL_DIFF');
    expect(environment).toMatchObject({
      PATH: '/bin',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_CONFIG_GLOBAL: '/home/ada/.gitconfig',
      GIT_TERMINAL_PROMPT: '0',
      LC_ALL: 'C',
    });
  });

  it('tells what it said when it fails', async () => {
    const failing = git('echo "fatal: something broke" >&2; exit 128');
    await expect(failing.run(call())).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: 'git status failed: fatal: something broke',
      data: { args: ['status'], exitCode: 128, stderr: 'fatal: something broke' },
    });
  });

  it('is ended with all that it started when its time is up', async () => {
    const mark = join(folder, 'pid');
    const slow = git(`sleep 60 & echo $! > ${mark}; wait`);
    await expect(slow.run(call(new Deadline({ timeoutMs: 300 })))).rejects.toMatchObject({
      code: 'GIT_TIMEOUT',
    });
    const pid = Number(readFileSync(mark, 'utf8'));
    expect(isRunning(pid)).toBe(false);
  });

  it('is ended when the caller aborts', async () => {
    const slow = git(`touch ${folder}/started; sleep 60`);
    const controller = new AbortController();
    const running = slow.run(call(new Deadline({ signal: controller.signal })));
    const begun = setInterval(() => {
      if (existsSync(join(folder, 'started'))) controller.abort();
    }, 5);
    try {
      await expect(running).rejects.toMatchObject({ code: 'GIT_ABORTED' });
    } finally {
      clearInterval(begun);
    }
  });
});

function isRunning(pid: number): boolean {
  try {
    // a zombie that nobody has collected yet is not running
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid.toString()}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('the installed git', () => {
  it.each([
    ['2.38.0', true],
    ['2.38', true],
    ['2.37.9', false],
    ['3.0', true],
    ['2.100.1', true],
    ['1.9', false],
  ])('%s is new enough: %s', (version, isEnough) => {
    expect(isAtLeast(version, '2.38.0')).toBe(isEnough);
  });

  it('may be missing', async () => {
    const missing = new Git({ executable: join(folder, 'no-git'), environment: GIT_ENVIRONMENT });
    expect(await findGitFault(missing)).toMatchObject({ feature: 'git-missing' });
  });

  it('may be too old, and a repository is refused for that alone', async () => {
    const executable = program('echo "git version 2.30.2"');
    const root = makeRepository(join(folder, 'project'));
    commitFiles(root, { a: 'a\n' });
    const engine = new NativeGitEngine({ executable, environment: GIT_ENVIRONMENT });
    const fault = { feature: 'git-too-old', wayOut: 'Install git 2.38 or later.' };
    expect((await engine.inspect(root))?.unsupported).toMatchObject([fault]);
    await expect(engine.open(root)).rejects.toMatchObject({
      code: 'GIT_UNSUPPORTED_REPOSITORY',
      hint: 'Install git 2.38 or later.',
      data: { features: ['git-too-old'] },
    });
  });
});
