import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { GitError } from '@cleveragents/git-ports';
import { SETTINGS_WITHOUT_HOOKS } from './git-environment.ts';
import type { Git, GitPlace } from './git.ts';
import { signalGroup } from './git-process.ts';

export interface StoredObject {
  readonly type: string;
  readonly size: number;
  /** Null for `info`. */
  readonly bytes: Buffer | null;
}

interface Request {
  readonly command: 'contents' | 'info';
  readonly name: string;
  readonly resolve: (object: StoredObject | null) => void;
  readonly reject: (error: unknown) => void;
}

/** How long a git waits for the next question before it is let go. */
const IDLE_MS = 500;
const LINE_FEED = 0x0a;

/** Asks one long-lived `git cat-file` for objects. It is started when it is needed and ends when it is not any more. */
export class ObjectReader {
  readonly #git: Git;
  readonly #place: GitPlace;
  readonly #timeoutMs: number;
  #session: Session | null = null;

  constructor(git: Git, place: GitPlace, timeoutMs: number) {
    this.#git = git;
    this.#place = place;
    this.#timeoutMs = timeoutMs;
  }

  /** Null when there is no such object. @throws GitError `GIT_CORRUPT`, `GIT_TIMEOUT`, `GIT_FAILED`. */
  ask(command: Request['command'], name: string): Promise<StoredObject | null> {
    if (this.#session === null || this.#session.isOver)
      this.#session = new Session(this.#git, this.#place, this.#timeoutMs);
    return this.#session.ask(command, name);
  }
}

class Session {
  isOver = false;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting: Request[] = [];
  readonly #timeoutMs: number;
  #received: Buffer[] = [];
  #receivedBytes = 0;
  /** Of the answer that is being received: how many bytes make it whole; null while its first line is not here. */
  #wanted: { readonly head: StoredObject; readonly bytes: number } | null = null;
  #stderr = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(git: Git, place: GitPlace, timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#child = spawn(git.executable, [...SETTINGS_WITHOUT_HOOKS, 'cat-file', '--batch-command'], {
      cwd: place.gitDirectory,
      env: git.environmentFor(place),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#child.stderr.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString('utf8')));
    this.#child.stdin.on('error', () => undefined);
    this.#child.on('error', (error) =>
      this.#fail(this.#failed(`cannot be started: ${error.message}`, error)),
    );
    this.#child.on('close', () => this.#fail(this.#failed(this.#stderr.trim() || 'ended too early')));
  }

  ask(command: Request['command'], name: string): Promise<StoredObject | null> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ command, name, resolve, reject }) === 1) this.#attend(true);
      this.#child.stdin.write(`${command} ${name}\n`);
    });
  }

  /** Only while somebody waits for an answer does the child keep this process alive. */
  #attend(isBusy: boolean): void {
    clearTimeout(this.#timer);
    const handles = [this.#child, ...this.#sockets()];
    for (const handle of handles) {
      if (isBusy) handle.ref();
      else handle.unref();
    }
    this.#timer = isBusy
      ? setTimeout(() => this.#timeOut(), this.#timeoutMs)
      : setTimeout(() => this.#leave(), IDLE_MS).unref();
  }

  #sockets(): readonly Socket[] {
    const { stdin, stdout, stderr } = this.#child;
    return [stdin, stdout, stderr] as unknown as readonly Socket[];
  }

  #leave(): void {
    this.isOver = true;
    this.#child.stdin.end();
  }

  #timeOut(): void {
    const data = { timeoutMs: this.#timeoutMs };
    const hint = 'Give a longer timeout.';
    const message = `git took longer than ${this.#timeoutMs.toString()} ms to read an object`;
    signalGroup(this.#child, 'SIGKILL');
    this.#fail(new GitError('GIT_TIMEOUT', message, { hint, data }));
  }

  #receive(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#receivedBytes += chunk.length;
    while (this.#waiting.length > 0 && this.#takeAnswer());
  }

  /** False while the answer to the first request is not whole. */
  #takeAnswer(): boolean {
    if (this.#wanted !== null && this.#receivedBytes < this.#wanted.bytes) return false;
    if (this.#wanted === null) {
      const line = this.#takeLine();
      if (line === null) return false;
      return this.#begin(line);
    }
    const { head, bytes } = this.#wanted;
    this.#wanted = null;
    this.#answer({ ...head, bytes: this.#take(bytes).subarray(0, -1) });
    return true;
  }

  #begin(line: string): boolean {
    const request = this.#waiting[0] as Request;
    const [, type = '', size = ''] = / ([a-z]+) (\d+)$/.exec(line) ?? [];
    if (type === '') {
      if (!line.endsWith(' missing')) this.#refuse(line);
      else this.#answer(null);
      return true;
    }
    const head = { type, size: Number(size), bytes: null };
    if (request.command === 'info') this.#answer(head);
    else this.#wanted = { head, bytes: head.size + 1 };
    return true;
  }

  #answer(object: StoredObject | null): void {
    this.#waiting.shift()?.resolve(object);
    if (this.#waiting.length === 0) this.#attend(false);
  }

  #refuse(line: string): void {
    this.#waiting.shift()?.reject(this.#failed(line));
    if (this.#waiting.length === 0) this.#attend(false);
  }

  #takeLine(): string | null {
    const bytes = this.#joined();
    const end = bytes.indexOf(LINE_FEED);
    return end < 0 ? null : this.#take(end + 1).toString('utf8', 0, end);
  }

  #take(count: number): Buffer {
    const bytes = this.#joined();
    this.#received = [bytes.subarray(count)];
    this.#receivedBytes -= count;
    return bytes.subarray(0, count);
  }

  #joined(): Buffer {
    const [first, second] = this.#received;
    if (first !== undefined && second === undefined) return first;
    const bytes = Buffer.concat(this.#received);
    this.#received = [bytes];
    return bytes;
  }

  #fail(error: GitError): void {
    this.isOver = true;
    clearTimeout(this.#timer);
    for (const request of this.#waiting.splice(0)) request.reject(error);
  }

  #failed(said: string, cause?: unknown): GitError {
    const corrupt = /corrupt|unable to unpack|inflate|bad object|mismatch|unable to parse/.test(said);
    return new GitError(corrupt ? 'GIT_CORRUPT' : 'GIT_FAILED', `git cat-file: ${said}`, {
      hint: corrupt ? 'Run `git fsck`; another clone may still have the object.' : undefined,
      data: { stderr: said },
      cause,
    });
  }
}
