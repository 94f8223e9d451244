import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import {
  bundleScript,
  runWithFault,
  temporaryDirectory,
  type FaultCall,
  type FaultOutcome,
} from '@cleveragents/shared-testing';

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const bundles = temporaryDirectory();
const everyCall = bundleScript(fixture('every-call.ts'), bundles.path);

async function run(fault: string): Promise<FaultOutcome & { folder: string }> {
  const { path: folder } = temporaryDirectory();
  return {
    folder,
    ...(await runWithFault(await everyCall, { arguments: [folder], roots: [folder] }, fault)),
  };
}

const undisturbed = run('count');

async function indexOf(select: (call: FaultCall) => boolean): Promise<number> {
  const index = (await undisturbed).calls.findIndex(select);
  expect(index).toBeGreaterThanOrEqual(0);
  return index + 1;
}

describe('the fault injection', () => {
  it('sees every way to change a file, whichever way node:fs was imported', async () => {
    const { exitCode, stderr, calls } = await undisturbed;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const names = calls.map(({ name }) => name.replace(/Sync$/, ''));
    expect([...new Set(names)].sort()).toEqual(
      (
        'appendFile chmod chown copyFile cp datasync fchmod fdatasync fsync ftruncate futimes lchown link lutimes mkdir ' +
        'mkdtemp open rename rm rmdir symlink sync truncate unlink utimes write writeFile writev'
      ).split(' '),
    );
    expect(names.filter((name) => name === 'rename')).toHaveLength(3);
    expect(names.filter((name) => name === 'rmdir')).toHaveLength(3);
  });

  it('leaves out what only reads', async () => {
    const { stdout } = await runUnpatched();
    const { functions, promises, handle } = JSON.parse(stdout) as Record<string, string[]>;
    const reading =
      /^(access|close|createReadStream|createWriteStream|exists|f?l?stat(fs)?|glob|openAsBlob|opendir|read|readFile|readdir|readlink|readv|realpath|(un)?watch(File)?)(Sync)?$/;
    const isNoCall = (name: string): boolean =>
      /^(Dirent|Stats|Dir|(File)?(Read|Write)Stream|Utf8Stream|_.*)$/.test(name);
    expect(functions?.filter((name) => !reading.test(name) && !isNoCall(name))).toEqual([]);
    expect(promises?.filter((name) => !reading.test(name))).toEqual([]);
    const ofHandles = /^(constructor|getAsyncId|readLines|readableWebStream|pull|pullSync|writer)$/;
    expect(handle?.filter((name) => !reading.test(name) && !ofHandles.test(name))).toEqual([]);
  });

  it('names the paths and counts those below the roots alone', async () => {
    const { calls, folder } = await undisturbed;
    expect(calls[0]).toEqual({
      name: 'writeFile',
      paths: [join(folder, 'a')],
      tearable: true,
      needsSpace: true,
    });
    expect(calls.filter(({ paths }) => !paths.every((path) => path.startsWith(folder)))).toEqual([]);
    const outside = temporaryDirectory();
    const scene = { arguments: [temporaryDirectory().path], roots: [outside.path] };
    expect((await runWithFault(await everyCall, scene, 'count')).calls).toEqual([]);
  });

  it.each(['rename', 'renameSync', 'write', 'open', 'sync', 'truncate'])('dies before %s', async (name) => {
    const index = await indexOf((call) => call.name === name);
    const { signal, reached, calls } = await run(`kill-before:${index.toString()}`);
    expect({ signal, reached, count: calls.length }).toEqual({
      signal: 'SIGKILL',
      reached: true,
      count: index,
    });
    expect(calls.at(-1)?.name).toBe(name);
  });

  it('dies before the call took effect, or after it', async () => {
    const index = (await indexOf(({ name }) => name === 'rename')).toString();
    const before = await run(`kill-before:${index}`);
    expect(readdirSync(before.folder)).toEqual(['a']);
    const after = await run(`kill-after:${index}`);
    expect({ signal: after.signal, names: readdirSync(after.folder) }).toEqual({
      signal: 'SIGKILL',
      names: ['b'],
    });
  });

  it.each([
    ['writeFile', 'a', 'some'],
    ['appendFile', 'a', 'some datamore'],
    ['copyFile', 'e', 'some datam'.slice(0, 9)],
    ['appendFileSync', 'sync', 'datada'],
  ])('tears %s in the middle of its data', async (name, file, content) => {
    const index = await indexOf((call) => call.name === name);
    const { folder, signal } = await run(`kill-during:${index.toString()}`);
    expect({ signal, content: readFileSync(join(folder, file), 'utf8') }).toEqual({
      signal: 'SIGKILL',
      content,
    });
  });

  it('tears what is written through handles and descriptors, at its place', async () => {
    const { calls } = await undisturbed;
    const writes = calls.flatMap(({ name, paths }, index) =>
      /^(write|append)/.test(name) && /(handle|descriptor|sync4)$/.test(paths[0] ?? '') ? [index + 1] : [],
    );
    const contents: string[] = [];
    for (const index of writes) {
      const { folder } = await run(`kill-during:${index.toString()}`);
      const last = ['sync4', 'descriptor', 'handle'].find((name) => existsSync(join(folder, name)));
      contents.push(readFileSync(join(folder, last ?? ''), 'utf8'));
    }
    expect(contents).toEqual([
      'o',
      'hne',
      'hrex',
      'hrexyt',
      'hrexytwoth',
      expect.stringMatching(/^hr\0+stre$/),
      'da',
      'da',
      'dataa',
      'dataatda',
    ]);
  });

  it('fails one call, or every call from it on, with the error of the system', async () => {
    const index = (await indexOf(({ name }) => name === 'rename')).toString();
    const { exitCode, stderr, folder, calls } = await run(`error:${index}:EACCES`);
    expect({ exitCode, count: calls.length.toString() }).toEqual({ exitCode: 1, count: index });
    expect(stderr).toContain(`EACCES: permission denied, rename '${folder}/a' -> '${folder}/b'`);
    expect(stderr).toContain("syscall: 'rename'");
    const full = await run('error-from:1:ENOSPC');
    expect({ exitCode: full.exitCode, names: readdirSync(full.folder) }).toEqual({ exitCode: 1, names: [] });
  });
});

async function runUnpatched(): Promise<{ stdout: string }> {
  const preload = fileURLToPath(new URL('../preload/fault-injection.mjs', import.meta.url));
  const { NODE_OPTIONS: _, ...environment } = process.env;
  const stdout = execFileSync(process.execPath, ['--import', preload, fixture('list-unpatched.mjs')], {
    env: { ...environment, CLEVERAGENTS_FAULT: 'count' },
    encoding: 'utf8',
  });
  return await Promise.resolve({ stdout });
}
