import assert from 'node:assert/strict';
import {
  type ChildProcessWithoutNullStreams,
  spawn,
  spawnSync,
  type SpawnSyncOptions,
} from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { After, Before, Given, Then, When } from '@cucumber/cucumber';
import {
  createRepository,
  hermeticGitEnvironment,
  temporaryDirectory,
  type TemporaryDirectory,
  type TemporaryRepository,
} from '@cleveragents/shared-testing';

const CLI = fileURLToPath(new URL('../../../apps/cli/bundle/cleveragents.js', import.meta.url));

export interface JourneyWorld {
  folder: string;
  repository: TemporaryRepository | undefined;
  home: TemporaryDirectory;
  output: string;
  errors: string;
  exitCode: number | null;
}

Before({ tags: '@journey' }, function (this: JourneyWorld) {
  this.home = temporaryDirectory();
});

After({ tags: '@journey' }, async function (this: JourneyWorld) {
  await this.repository?.[Symbol.asyncDispose]();
  await this.home.remove();
});

function repositoryOf(world: JourneyWorld): TemporaryRepository {
  assert.ok(world.repository, 'no repository was made');
  return world.repository;
}

/** Splits a command line as a shell would, for single quotes alone. */
function wordsOf(commandLine: string): readonly string[] {
  return [...commandLine.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

Given('a repository with a file {string}', async function (this: JourneyWorld, path: string) {
  this.repository = await createRepository({ files: { [path]: 'first\n' } });
  this.folder = this.repository.root;
});

Given('a folder that is no repository', function (this: JourneyWorld) {
  this.folder = temporaryDirectory().path;
});

Given('a folder elsewhere', function (this: JourneyWorld) {
  this.folder = temporaryDirectory().path;
});

Given('a repository without a commit', function (this: JourneyWorld) {
  this.folder = temporaryDirectory().path;
  spawnSync('git', ['init', '--quiet'], { cwd: this.folder, env: hermeticGitEnvironment() });
});

Given('the repository has a file {string}', async function (this: JourneyWorld, path: string) {
  await repositoryOf(this).commit(`add ${path}`, { [path]: 'content\n' });
});

Given(
  'the repository has a file {string} with {string}',
  async function (this: JourneyWorld, path: string, text: string) {
    await repositoryOf(this).commit(`add ${path}`, { [path]: `${text}\n` });
  },
);

Given('the repository has an ignored file {string}', async function (this: JourneyWorld, path: string) {
  await repositoryOf(this).write(path, 'ignored\n');
});

Given('my uncommitted change of {string}', async function (this: JourneyWorld, path: string) {
  await repositoryOf(this).write(path, 'mine\n');
});

When('I commit {string} to {string}', async function (this: JourneyWorld, text: string, path: string) {
  await repositoryOf(this).commit(`change ${path}`, { [path]: `${text}\n` });
});

function argumentsOf(world: JourneyWorld, commandLine: string): readonly string[] {
  const [name, ...args] = wordsOf(commandLine);
  assert.equal(name, 'cleveragents');
  return [CLI, ...args.map((word) => (word === 'REPOSITORY' ? repositoryOf(world).root : word))];
}

function environmentOf({ home }: JourneyWorld): NodeJS.ProcessEnv {
  return {
    ...hermeticGitEnvironment(),
    NODE_OPTIONS: '',
    HOME: home.path,
    XDG_STATE_HOME: home.path,
    NODE: process.execPath,
    CLI,
  };
}

function runCli(world: JourneyWorld, args: readonly string[], stdio?: SpawnSyncOptions['stdio']): void {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: world.folder,
    encoding: 'utf8',
    env: environmentOf(world),
    ...(stdio === undefined ? {} : { stdio }),
  });
  world.output = stdout ?? '';
  world.errors = stderr;
  world.exitCode = status;
}

export function runCommandLine(world: JourneyWorld, commandLine: string): void {
  runCli(world, argumentsOf(world, commandLine));
}

When('I run {string}', function (this: JourneyWorld, commandLine: string) {
  runCommandLine(this, commandLine);
});

When('I run {string} where RED is a colour escape', function (this: JourneyWorld, commandLine: string) {
  runCli(
    this,
    argumentsOf(this, commandLine).map((word) => (word === 'RED' ? '\u001b[31mred\nand more' : word)),
  );
});

When('I run {string} with its output on a full disk', function (this: JourneyWorld, commandLine: string) {
  const full = openSync('/dev/full', 'w');
  runCli(this, argumentsOf(this, commandLine), ['ignore', full, 'pipe']);
  closeSync(full);
});

When('I run {string} and read nothing of it', async function (this: JourneyWorld, commandLine: string) {
  const child = spawn(process.execPath, argumentsOf(this, commandLine), {
    cwd: this.folder,
    env: environmentOf(this),
  });
  child.stdout.destroy();
  await finish(this, child);
});

When(
  'I run {string} and send it {string} when it prints {string}',
  async function (this: JourneyWorld, commandLine: string, signal: string, text: string) {
    const child = spawn(process.execPath, argumentsOf(this, commandLine), {
      cwd: this.folder,
      env: environmentOf(this),
    });
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes(text)) child.kill(signal as NodeJS.Signals);
    });
    await finish(this, child);
  },
);

async function finish(world: JourneyWorld, child: ChildProcessWithoutNullStreams): Promise<void> {
  world.output = '';
  world.errors = '';
  child.stdout.on('data', (chunk: Buffer) => (world.output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (world.errors += chunk.toString()));
  world.exitCode = await new Promise((resolve) => child.once('exit', resolve));
}

When('I do what it says after {string}', function (this: JourneyWorld, label: string) {
  const [, said] = this.output.split(label);
  const script = `cleveragents() { "$NODE" "$CLI" "$@"; }\n${said?.split('\n')[0] ?? 'false'}`;
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', script], {
    cwd: this.folder,
    encoding: 'utf8',
    env: { ...environmentOf(this), NODE: process.execPath, CLI, LC_ALL: 'C.UTF-8' },
  });
  this.output = stdout;
  this.errors = stderr;
  this.exitCode = status;
});

Then('it ends with exit code {int}', function (this: JourneyWorld, code: number) {
  assert.equal(this.exitCode, code, `${this.output}\n${this.errors}`);
});

Then('it prints {string}', function (this: JourneyWorld, text: string) {
  assert.ok(this.output.includes(text), `${this.output}\n${this.errors}`);
});

Then('it prints no {string}', function (this: JourneyWorld, text: string) {
  assert.ok(!this.output.includes(text), this.output);
});

Then('it complains {string}', function (this: JourneyWorld, text: string) {
  assert.ok(this.errors.includes(text), `${this.output}\n${this.errors}`);
  assert.ok(!/^\s+at /m.test(this.errors), 'a stack trace for what a user did');
});

Then(
  'it prints one JSON object where {string} is {string} and {string} is {string}',
  function (this: JourneyWorld, firstPath: string, first: string, secondPath: string, second: string) {
    const object: unknown = JSON.parse(this.output);
    assert.equal(valueAt(object, firstPath), first, this.output);
    assert.equal(valueAt(object, secondPath), second, this.output);
  },
);

function valueAt(object: unknown, path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : at),
      object,
    );
  return String(value);
}

Then('the repository has {string} with {string}', function (this: JourneyWorld, path: string, text: string) {
  assert.equal(readFileSync(join(this.folder, path), 'utf8'), `${text}\n`);
});

Then('the repository has a file {string} now', function (this: JourneyWorld, path: string) {
  assert.ok(existsSync(join(this.folder, path)));
});

Then('it prints nothing that a terminal would act on', function (this: JourneyWorld) {
  assert.doesNotMatch(this.output, /[\u0000-\u0009\u000b-\u001f\u007f]/);
});

Then('it complains of nothing', function (this: JourneyWorld) {
  assert.equal(this.errors, '');
});

Then('the repository has no {string}', function (this: JourneyWorld, path: string) {
  assert.equal(existsSync(join(this.folder, path)), false);
});

Then('the last commit is {string}', async function (this: JourneyWorld, subject: string) {
  assert.equal(await repositoryOf(this).git('log', '-1', '--format=%s'), subject);
});

Then('git knows one work tree', async function (this: JourneyWorld) {
  assert.equal((await repositoryOf(this).worktrees()).length, 1);
});

Then('git finds nothing to complain of', async function (this: JourneyWorld) {
  const repository = repositoryOf(this);
  await repository.fsck();
  assert.deepEqual(await repository.status(), []);
  assert.equal(await repository.git('worktree', 'prune', '--dry-run', '--verbose'), '');
});
