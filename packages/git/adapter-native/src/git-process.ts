import { type ChildProcess, spawn } from 'node:child_process';
import { GitError } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { Deadline, type Environment } from './shared-parts.ts';

export interface ProcessCall {
  readonly executable: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Environment;
  readonly input?: string | Uint8Array | undefined;
  readonly deadline: Deadline;
  /** Most that it may print. */
  readonly limitBytes: number;
}

export interface ProcessResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const STDERR_BYTES = 64 * 1024;
/** How long git has to remove its lock files once it is told to end. */
const GRACE_MS = 2000;

/**
 * Runs a program in a process group of its own, to its end.
 *
 * @throws GitError `GIT_TIMEOUT`, `GIT_ABORTED`, after the whole group is ended; `GIT_FAILED` when it cannot be started,
 *   or prints more than the limit.
 */
export function runProcess(call: ProcessCall): Promise<ProcessResult> {
  call.deadline.check();
  return new Promise((resolve, reject) => {
    const child = spawn(call.executable, call.args, {
      cwd: call.cwd,
      env: call.environment,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const run = new RunningProcess(child, call);
    child.on('error', (error) => run.settle(() => reject(notStarted(call, error))));
    child.on('close', (exitCode) =>
      run.settle(() => {
        const { failure, stdout, stderr } = run;
        if (failure === null) resolve({ exitCode, stdout, stderr });
        else reject(failure);
      }),
    );
    // git may end before it has read everything
    child.stdin.on('error', () => undefined);
    child.stdin.end(call.input ?? '');
  });
}

class RunningProcess {
  /** Why it was ended before its time. */
  failure: GitError | null = null;
  readonly #child: ChildProcess;
  readonly #call: ProcessCall;
  readonly #stdout: Buffer[] = [];
  readonly #stderr: Buffer[] = [];
  #stdoutBytes = 0;
  #stderrBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #onAbort = (): void => this.#endBy(this.#call.deadline);

  constructor(child: ChildProcess, call: ProcessCall) {
    this.#child = child;
    this.#call = call;
    const { remainingMs, signal } = call.deadline;
    if (Number.isFinite(remainingMs))
      this.#timer = setTimeout(() => this.#endBy(call.deadline), Math.ceil(remainingMs) + 1);
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    child.stdout?.on('data', (chunk: Buffer) => this.#take(chunk));
    child.stderr?.on('data', (chunk: Buffer) => this.#takeError(chunk));
  }

  get stdout(): Buffer {
    return Buffer.concat(this.#stdout);
  }

  get stderr(): string {
    return Buffer.concat(this.#stderr).toString('utf8').trim();
  }

  settle(answer: () => void): void {
    clearTimeout(this.#timer);
    this.#call.deadline.signal?.removeEventListener('abort', this.#onAbort);
    answer();
  }

  #take(chunk: Buffer): void {
    this.#stdoutBytes += chunk.length;
    if (this.#stdoutBytes <= this.#call.limitBytes) this.#stdout.push(chunk);
    else this.#end(tooMuch(this.#call));
  }

  #takeError(chunk: Buffer): void {
    if (this.#stderrBytes < STDERR_BYTES) this.#stderr.push(chunk);
    this.#stderrBytes += chunk.length;
  }

  #endBy(deadline: Deadline): void {
    try {
      deadline.check();
    } catch (error) {
      if (error instanceof GitError) this.#end(error);
      else throw error;
    }
  }

  /** Git removes its locks when it is asked to end; what does not listen is killed. */
  #end(failure: GitError): void {
    if (this.failure !== null) return;
    this.failure = failure;
    clearTimeout(this.#timer);
    signalGroup(this.#child, 'SIGTERM');
    this.#timer = setTimeout(() => signalGroup(this.#child, 'SIGKILL'), GRACE_MS);
  }
}

/** Also the filters and signers that git started. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH', 'EPERM')) throw error;
  }
}

function notStarted({ executable, args }: ProcessCall, cause: Error): GitError {
  return new GitError('GIT_FAILED', `${executable} cannot be started: ${cause.message}`, {
    hint: 'Install git 2.38 or later, and see that PATH leads to it.',
    data: { executable, args },
    cause,
  });
}

function tooMuch({ args, limitBytes }: ProcessCall): GitError {
  return new GitError('GIT_FAILED', `git ${args.join(' ')} prints more than ${limitBytes.toString()} bytes`, {
    data: { args, limitBytes },
  });
}
