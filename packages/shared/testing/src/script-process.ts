import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { hermeticGitEnvironment } from './hermetic-git.ts';

/** A script that runs beside the test, and speaks in lines. It is a bundle, or needs nothing but Node. */
export class ScriptProcess {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #waiting: ((line: string) => void)[] = [];
  #complaints = '';

  constructor(script: string, ...parameters: readonly string[]) {
    this.#child = spawn(process.execPath, [script, ...parameters], {
      env: { ...hermeticGitEnvironment(), NODE_OPTIONS: '' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#complaints += chunk.toString()));
    if (this.#child.stdout !== null)
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        const waiting = this.#waiting.shift();
        if (waiting === undefined) this.#lines.push(line);
        else waiting(line);
      });
  }

  get complaints(): string {
    return this.#complaints;
  }

  /** Lines that nobody asked for so far. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  say(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  nextLine(): Promise<string> {
    const line = this.#lines.shift();
    return line === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(line);
  }

  async end(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'close');
    return this.#child.exitCode;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
