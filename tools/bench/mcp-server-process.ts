import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

type Fields = Readonly<Record<string, unknown>>;

export interface ToolAnswer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text?: string }[];
}

/** An MCP server that is asked over stdio, by a client that does as little as it can. It lives as long as this process. */
export class McpServerProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, (message: Fields) => void>();
  #id = 0;
  #ready: Promise<void> | undefined;

  constructor(words: readonly string[], env: Readonly<Record<string, string>>) {
    const child = spawn(process.execPath, [...words], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as Fields;
      this.#waiting.get(message['id'] as number)?.(message);
    });
  }

  get processId(): number {
    if (this.#child.pid === undefined) throw new Error('The server was not started');
    return this.#child.pid;
  }

  /** Makes this process wait for the server; the first time, they introduce themselves. */
  async wake(): Promise<void> {
    for (const part of this.#parts()) part.ref?.();
    this.#ready ??= this.#introduce();
    await this.#ready;
  }

  /** Lets this process end, and the server with it. */
  rest(): void {
    for (const part of this.#parts()) part.unref?.();
  }

  /** @throws Error for a call that failed. */
  async call(name: string, toolArguments: Fields): Promise<ToolAnswer> {
    const { result, error } = await this.#ask('tools/call', { name, arguments: toolArguments });
    const answer = result as ToolAnswer | undefined;
    if (answer === undefined || answer.isError === true)
      throw new Error(`${name} failed: ${JSON.stringify(error ?? answer)}`);
    return answer;
  }

  #parts(): readonly { ref?: () => unknown; unref?: () => unknown }[] {
    const { stdin, stdout } = this.#child;
    return [this.#child, stdin, stdout] as readonly { ref?: () => unknown; unref?: () => unknown }[];
  }

  async #introduce(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1.0.0' };
    await this.#ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.#say({ method: 'notifications/initialized' });
  }

  #ask(method: string, params: Fields): Promise<Fields> {
    this.#id += 1;
    const id = this.#id;
    return new Promise((resolve) => {
      this.#waiting.set(id, (message) => {
        this.#waiting.delete(id);
        resolve(message);
      });
      this.#say({ id, method, params });
    });
  }

  #say(message: Fields): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
