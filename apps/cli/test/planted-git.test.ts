import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runGit, temporaryDirectory, type TemporaryDirectory } from '@cleveragents/shared-testing';
import { bundledCli } from './support/bundled-cli.ts';
import { RefusalBench } from './support/refusal-bench.ts';

const bundle = temporaryDirectory();
let cli: readonly string[];
let bench: RefusalBench;
let sprung: TemporaryDirectory;

beforeAll(async () => {
  cli = await bundledCli(bundle.path);
});
afterAll(() => bundle.remove());
beforeEach(async () => {
  bench = await RefusalBench.open(cli);
  sprung = temporaryDirectory();
});
afterEach(async () => {
  await bench.close();
  await sprung.remove();
});

/** A program that says that it ran. */
const trap = (name: string): string => `sh -c 'touch "${join(sprung.path, name)}"; cat'`;
const hasSprung = (name: string): boolean => existsSync(join(sprung.path, name));

/** What a user may well have, and what git runs when a file of the repository says so. */
async function setDrivers(): Promise<void> {
  for (const [key, name] of [
    ['filter.planted.clean', 'clean'],
    ['filter.planted.smudge', 'smudge'],
    ['diff.planted.textconv', 'textconv'],
    ['diff.planted.command', 'diff'],
    ['merge.planted.driver', 'merge'],
  ] as const)
    await bench.repository.git('config', key, trap(name));
}

/** Through the tool, as an agent does. */
function write(path: string, content: string): void {
  const input = JSON.stringify({ path, content });
  bench.succeed('tool', 'call', 'builtin/file-write', input, '--plan', 'p', '--checkpoint', 'pre_write');
}

/** The names of a repository, none of which is `.git`, and a configuration that runs programs. */
function writeBareRepository(folder: string): void {
  write(`${folder}HEAD`, 'ref: refs/heads/main\n');
  write(`${folder}objects/info/packs`, '\n');
  write(`${folder}refs/heads/x`, `${'0'.repeat(40)}\n`);
  write(`${folder}hooks/post-index-change`, `#!/bin/sh\n${trap('hook')}\n`);
  write(
    `${folder}config`,
    `[core]\n\tbare = false\n\tworktree = .\n\trepositoryformatversion = 0\n\tfsmonitor = "${trap('monitor').replaceAll('"', '\\"')}"\n`,
  );
}

/** Everything that looks at the sandbox's files, or brings them back. */
function useCheckpoints(): void {
  bench.succeed('checkpoint', 'create', 'p', '--reason', 'planted');
  const listed = JSON.parse(bench.succeed('checkpoint', 'list', 'p', '--json')) as {
    checkpoints: readonly { checkpointId: string }[];
  };
  const { checkpointId = '' } = listed.checkpoints.at(-1) ?? {};
  write('src/main.ts', 'changed again\n');
  bench.succeed('checkpoint', 'diff', checkpointId);
  bench.succeed('checkpoint', 'rollback', checkpointId);
  bench.succeed('plan', 'diff', 'p');
  bench.succeed('plan', 'show', 'p');
}

describe('what an agent writes for git to run', () => {
  it('is not run by checkpoints: attributes that name the programs of the user', async () => {
    await setDrivers();
    const sandbox = bench.plan('p');
    write('.gitattributes', '* filter=planted diff=planted merge=planted\n');
    write('src/main.ts', 'changed\n');
    useCheckpoints();
    expect(['clean', 'smudge', 'textconv', 'diff', 'merge'].filter(hasSprung)).toEqual([]);
    // git itself would have run them: the trap is set.
    await runGit(['add', '--all'], { cwd: sandbox });
    expect(hasSprung('clean')).toBe(true);
  });

  it('is not run by checkpoints: a repository without the name of one', async () => {
    const sandbox = bench.plan('p');
    for (const folder of ['', 'nested/']) writeBareRepository(folder);
    write('src/main.ts', 'changed\n');
    useCheckpoints();
    expect(['hook', 'monitor'].filter(hasSprung)).toEqual([]);
    writeFileSync(join(sandbox, 'nested/x'), '');
    await runGit(['status'], { cwd: join(sandbox, 'nested') }).catch(() => undefined);
    expect(hasSprung('monitor')).toBe(true);
  });
});
