import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const PERSON = { NAME: 'Ada', EMAIL: 'ada@example.invalid', DATE: '1700000000 +0000' };
const ENVIRONMENT = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) =>
      Object.entries(PERSON).map(([field, value]) => [`GIT_${role}_${field}`, value]),
    ),
  ),
};

export interface GitRun {
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A repository of the installed git, without any configuration of the person who runs the tests. */
export class RealRepository {
  readonly folder: string;

  constructor(name = 'git-domain-') {
    this.folder = mkdtempSync(join(tmpdir(), name));
    this.git(['init', '--quiet', '--initial-branch=main', '.']);
    appendFileSync(join(this.folder, '.git/config'), '[gc]\n\tauto = 0\n[core]\n\tfsync = none\n');
  }

  /** @throws when git fails. */
  git(
    args: readonly string[],
    input?: Uint8Array | string,
    environment: Record<string, string> = {},
  ): Buffer {
    return execFileSync('git', [...args], {
      cwd: this.folder,
      env: { ...ENVIRONMENT, ...environment },
      input: input ?? '',
      maxBuffer: 1 << 28,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  text(args: readonly string[], input?: Uint8Array | string): string {
    return this.git(args, input).toString('utf8').trimEnd();
  }

  /** As `git`, for when the exit status is the answer. */
  run(args: readonly string[], input?: Uint8Array | string): GitRun {
    const { status, stdout, stderr } = spawnSync('git', [...args], {
      cwd: this.folder,
      env: ENVIRONMENT,
      input: input ?? '',
      maxBuffer: 1 << 28,
    });
    return { status: status ?? -1, stdout, stderr: stderr.toString('utf8') };
  }

  write(path: string, content: string | Uint8Array): string {
    const whole = join(this.folder, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, content);
    return whole;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Runs one shell line for many arguments in one process: git's own answer to hundreds of questions in a moment.
 *
 * @param line sees each argument as `$argument`, and prints whatever it likes on one line.
 */
export function forEachArgument(line: string, args: readonly string[], folder = tmpdir()): readonly string[] {
  const script = `while IFS= read -r -d '' argument; do ${line}; done`;
  const output = execFileSync('bash', ['-c', script], {
    cwd: folder,
    env: ENVIRONMENT,
    input: args.map((argument) => `${argument}\0`).join(''),
    maxBuffer: 1 << 28,
  });
  return output.toString('utf8').split('\n').slice(0, -1);
}
