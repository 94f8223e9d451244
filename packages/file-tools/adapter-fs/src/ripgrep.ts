import { execFile, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';

const OUTPUT_BYTES = 64 * 1024 * 1024;

/** Never a configuration, a preprocessor or an ignore file: what is searched must not depend on what lies about. */
const ARGUMENTS = [
  '--no-config',
  '--no-ignore',
  '--hidden',
  '--glob=!.git',
  '--text',
  '--files-with-matches',
  '--null',
  '--color=never',
  '--no-messages',
  '--fixed-strings',
  // Patterns come from standard input, where nothing looks like a flag, and where a NUL can be one.
  '--file=-',
  '--',
  './',
];

/** The ripgrep of the PATH, else the one that came as an optional package, else `undefined`. */
export async function findRipgrep(path = process.env.PATH ?? ''): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const candidates = path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name));
  for (const candidate of candidates) if (await isRipgrep(candidate)) return candidate;
  const packaged = await packagedRipgrep();
  return packaged !== undefined && (await isRipgrep(packaged)) ? packaged : undefined;
}

async function packagedRipgrep(): Promise<string | undefined> {
  // Kept from bundlers and from checks of what must be installed: it need not be there.
  const name = '@vscode/ripgrep';
  try {
    const found = (await import(name)) as { readonly rgPath?: unknown };
    return typeof found.rgPath === 'string' ? found.rgPath : undefined;
  } catch {
    // Not installed, or not for this platform: both mean that there is none.
    return undefined;
  }
}

/** By what it says of itself: other programs have that short name too. */
async function isRipgrep(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    const { stdout } = await promisify(execFile)(path, ['--no-config', '--version'], { timeout: 5000 });
    return stdout.startsWith('ripgrep ');
  } catch {
    // Not there, not ours to run, or something else: all mean that there is none.
    return false;
  }
}

export interface RipgrepRun {
  /** Ends the program. */
  stop(): void;
  /** Paths relative to the directory, in no order; `undefined` when the program could not look at everything. */
  readonly files: Promise<readonly string[] | undefined>;
}

export interface RipgrepOrder {
  readonly executable: string;
  readonly literals: readonly string[];
  readonly directory: string;
  /** Larger files are left alone: without it one endless line takes all memory. */
  readonly maxFileBytes: number;
}

/** Which files below a directory hold one of the literals, as bytes of UTF-8, or of UTF-16 where a mark says so. */
export function filesHolding({ executable, literals, directory, maxFileBytes }: RipgrepOrder): RipgrepRun {
  const child = spawn(executable, [`--max-filesize=${maxFileBytes}`, ...ARGUMENTS], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  const files = new Promise<readonly string[] | undefined>((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > OUTPUT_BYTES) child.kill();
    });
    child.on('error', () => resolve(undefined));
    child.on('close', (code) => {
      const isComplete = (code === 0 || code === 1) && length <= OUTPUT_BYTES;
      resolve(
        isComplete ? Buffer.concat(chunks).toString().split('\0').slice(0, -1).map(withoutDot) : undefined,
      );
    });
  });
  // It may end without having read everything; its exit code tells what that means.
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${literals.join('\n')}\n`);
  return { stop: () => child.kill('SIGKILL'), files };
}

function withoutDot(path: string): string {
  return path.replace(/^\.[\\/]/, '').replaceAll('\\', process.platform === 'win32' ? '/' : '\\');
}
