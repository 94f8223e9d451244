import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from './temporary-directory.ts';

/** How the script runs on a state. */
export interface FaultScene {
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Only calls on paths at or below these folders are points. */
  readonly roots: readonly string[];
}

/** A call that changes, or may change, a file. */
export interface FaultCall {
  /** As node:fs names it: `renameSync`, `writeFile`. */
  readonly name: string;
  readonly paths: readonly string[];
  /** Writes two bytes or more, so that half of them can be written. */
  readonly tearable: boolean;
  /** A full disk can make it fail. */
  readonly needsSpace: boolean;
}

export interface FaultOutcome {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the fault struck: false when the script came to its end before that point. */
  readonly reached: boolean;
  /** All that were made until the end, or until death. */
  readonly calls: readonly FaultCall[];
}

const PRELOAD = fileURLToPath(new URL('../preload/fault-injection.mjs', import.meta.url));

/** @param fault as the preloaded module reads it: `count`, `kill-before:3`, `error:3:ENOSPC`. */
export async function runWithFault(script: string, scene: FaultScene, fault: string): Promise<FaultOutcome> {
  await using workplace = temporaryDirectory('cleveragents-fault-');
  const log = join(workplace.path, 'log.json');
  const child = spawn(process.execPath, ['--import', PRELOAD, script, ...(scene.arguments ?? [])], {
    cwd: scene.cwd ?? process.cwd(),
    env: {
      ...withoutNodeOptions(),
      ...scene.environment,
      CLEVERAGENTS_FAULT: fault,
      CLEVERAGENTS_FAULT_LOG: log,
      CLEVERAGENTS_FAULT_ROOTS: JSON.stringify(scene.roots),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // One that hangs ends without a log, which is an error below.
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<Pick<FaultOutcome, 'exitCode' | 'signal'>>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => {
      resolve({ exitCode, signal });
    });
  });
  const [end, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { ...end, stdout, stderr, ...(await readLog(log, stderr)) };
}

/** Jest's own options are not for the script. */
function withoutNodeOptions(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, ...environment } = process.env;
  return environment;
}

async function readLog(log: string, stderr: string): Promise<Pick<FaultOutcome, 'reached' | 'calls'>> {
  try {
    return JSON.parse(await readFile(log, 'utf8')) as Pick<FaultOutcome, 'reached' | 'calls'>;
  } catch (cause) {
    throw new Error(`The script ended without a log of its calls: ${stderr}`, { cause });
  }
}
