import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  findRipgrep,
  JavaScriptTextSearcher,
  RipgrepTextSearcher,
} from '@cleveragents/file-tools-adapter-fs';
import { createFileTools, ToolRegistry } from '@cleveragents/file-tools-application';
import type { TextSearcher } from '@cleveragents/file-tools-ports';
import { openRootedFileSystem, type RootedFileSystemOptions } from '@cleveragents/shared-adapter-fs';
import { DiskRootedWorld } from '@cleveragents/shared-testing';

/**
 * Runs beside the tools: `sandbox/dir` is a directory and then a link out, again and again; `sandbox/flip` is a link that
 * leads in and then out, without ever being away.
 */
const ATTACKER = `
const fs = require('node:fs');
const quietly = (work) => { try { work(); } catch {} };
process.chdir(process.argv[1]);
fs.writeSync(1, 'ready');
// Whoever started it may be killed: nobody else would end it.
for (const parent = process.ppid; process.ppid === parent;) {
  quietly(() => fs.renameSync('sandbox/dir', 'kept'));
  quietly(() => fs.renameSync('door', 'sandbox/dir'));
  quietly(() => { fs.symlinkSync('../outside', 'next'); fs.renameSync('next', 'sandbox/flip'); });
  quietly(() => fs.renameSync('sandbox/dir', 'door'));
  quietly(() => fs.rmSync('sandbox/dir', { recursive: true }));
  quietly(() => fs.renameSync('kept', 'sandbox/dir'));
  quietly(() => { fs.symlinkSync('inside', 'next'); fs.renameSync('next', 'sandbox/flip'); });
}
`;

const SECRET = 'the secret outside';
export const RACED_TOOLS = [
  'file-read',
  'file-write',
  'file-edit',
  'file-delete',
  'file-list',
  'file-search',
] as const;
export type RacedTool = (typeof RACED_TOOLS)[number] | 'naive-read' | 'naive-write';

export interface RaceReport {
  readonly operations: number;
  /** How often something outside was shown or changed. */
  readonly leaks: number;
  /** How often the tool did its work on what was inside: without these the race would prove nothing. */
  readonly successes: number;
  readonly refusals: number;
}

/** Calls one tool while somebody swaps what its paths pass through. Ends early at `untilLeaks`. */
export async function raceTool(
  tool: RacedTool,
  operations: number,
  { untilLeaks = Infinity, ...options }: RootedFileSystemOptions & { readonly untilLeaks?: number } = {},
): Promise<RaceReport> {
  const world = await DiskRootedWorld.open((root) => openRootedFileSystem(root, options));
  for (const place of ['sandbox/dir', 'sandbox/inside'])
    await world.plantFile(`${place}/file.txt`, 'inside text');
  await world.plantLink('sandbox/flip', 'inside');
  await world.plantLink('door', '../outside');
  const outside = new Outside(world);
  await outside.restore();
  const attacker = await startAttacker(world.absolute(''));
  try {
    return await race(await operationOf(tool, world), outside, operations, untilLeaks);
  } finally {
    attacker.kill('SIGKILL');
    await once(attacker, 'exit');
    await world.remove();
  }
}

type Operation = (path: string, round: number) => Promise<'done' | 'refused' | 'leaked'>;

async function race(
  operation: Operation,
  outside: Outside,
  operations: number,
  untilLeaks: number,
): Promise<RaceReport> {
  const report = { operations: 0, leaks: 0, successes: 0, refusals: 0 };
  while (report.operations < operations && report.leaks < untilLeaks) {
    const path = report.operations % 2 === 0 ? 'dir' : 'flip';
    const outcome = await operation(path, report.operations++);
    if (outcome === 'leaked' || outside.wasTouched()) {
      report.leaks++;
      await outside.restore();
    } else if (outcome === 'done') report.successes++;
    else report.refusals++;
  }
  return report;
}

/** What lies beside the root: one file, whose contents every tool would betray. */
class Outside {
  readonly #world: DiskRootedWorld;

  constructor(world: DiskRootedWorld) {
    this.#world = world;
  }

  wasTouched(): boolean {
    try {
      return readFileSync(this.#world.absolute('outside/file.txt'), 'utf8') !== SECRET || this.#hasMore();
    } catch {
      // It is gone, whatever the system calls that.
      return true;
    }
  }

  async restore(): Promise<void> {
    await this.#world.clear('outside');
    await this.#world.plantFile('outside/file.txt', SECRET);
  }

  #hasMore(): boolean {
    return this.#world.namesNow('outside').length !== 1;
  }
}

async function operationOf(tool: RacedTool, world: DiskRootedWorld): Promise<Operation> {
  if (tool === 'naive-read' || tool === 'naive-write') return naive(tool, world);
  const registry = new ToolRegistry();
  for (const each of createFileTools({ files: world.files, searcher: await searcherOfBothKinds() }))
    registry.register(each);
  return async (path, round) => {
    const result = await registry.execute(`builtin/${tool}`, inputOf(tool, path, round));
    if (JSON.stringify(result).includes('secret')) return 'leaked';
    if (!result.success && result.error.code === 'INTERNAL') throw new Error(result.error.message);
    // What a deletion took away is there again for the next one.
    if (tool === 'file-delete')
      await registry.execute('builtin/file-write', { path: `${path}/file.txt`, content: 'inside text' });
    return result.success ? 'done' : 'refused';
  };
}

/** Asks ripgrep for literals, however small the files are. */
async function searcherOfBothKinds(): Promise<TextSearcher> {
  const otherwise = new JavaScriptTextSearcher();
  const executable = await findRipgrep();
  return executable === undefined
    ? otherwise
    : new RipgrepTextSearcher({ executable, otherwise, averageBytes: 0 });
}

function inputOf(tool: RacedTool, path: string, round: number): Record<string, unknown> {
  const file = `${path}/file.txt`;
  switch (tool) {
    case 'file-write':
      return { path: round % 3 === 0 ? `${path}/new/made-${round % 50}.txt` : file, content: 'inside text' };
    case 'file-edit':
      return { path: file, old_text: 't', new_text: 't' };
    case 'file-list':
      return { path: round % 2 === 0 ? path : '.', recursive: true };
    case 'file-search':
      return { path: round % 2 === 0 ? path : '.', pattern: 'secret|inside', literal: round % 4 === 0 };
    default:
      return { path: file };
  }
}

/** What everybody writes first: resolve, compare, then open by the path. Shows that the race can be lost. */
function naive(tool: RacedTool, world: DiskRootedWorld): Operation {
  const root = world.absolute('sandbox');
  return async (path) => {
    try {
      const real = realpathSync(join(root, path));
      if (real !== root && !real.startsWith(`${root}/`)) return 'refused';
      const file = join(root, path, 'file.txt');
      if (tool === 'naive-write') writeFileSync(file, 'inside text');
      else if (readFileSync(file, 'utf8') === SECRET) return 'leaked';
      return 'done';
    } catch {
      // Swapped away at that moment.
      return 'refused';
    }
  };
}

async function startAttacker(place: string): Promise<ChildProcess> {
  const attacker = spawn(process.execPath, ['-e', ATTACKER, place], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH },
  });
  if (attacker.stdout === null) throw new Error('The attacker has no output');
  await once(attacker.stdout, 'data');
  return attacker;
}
