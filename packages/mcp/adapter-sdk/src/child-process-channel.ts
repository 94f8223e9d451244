import { type ChildProcess, spawn } from 'node:child_process';
import type { JsonRpcMessage } from '@cleveragents/mcp-domain';
import { type ChannelListener, type MessageChannel, MessageChannelError } from '@cleveragents/mcp-ports';
import { hasCode, messageOf } from '@cleveragents/shared-kernel';
import { closedError, MAX_MESSAGE_BYTES, MessageWriter, readMessages } from './message-streams.ts';

export interface ChildProcessChannelOptions {
  /** The program and its arguments, as they are: no shell reads them. */
  readonly command: readonly [program: string, ...args: readonly string[]];
  readonly cwd?: string | undefined;
  /** Default: ours. */
  readonly environment?: Readonly<NodeJS.ProcessEnv> | undefined;
  /** A longer message ends the channel. Default: 256 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How long a server that is asked to go may take before it is made to, twice: politely, then by force. Default: 2000. */
  readonly patienceMs?: number | undefined;
}

/** How a server ended. */
export interface ServerExit {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How long the output of a server that is gone may stay quiet before nobody is believed to write to it any more. */
const QUIET_MS = 500;

/**
 * Messages to and from a server that is a child process, by its standard input and output, one a line. What it writes to
 * standard error goes to ours.
 *
 * `onClosed` comes when the process is gone and everything that it wrote has been delivered; its error, `MCP_CHANNEL_FAILED`
 * with `exitCode` and `signal` in `data`, says that a server failed that nobody had asked to go.
 */
export class ChildProcessChannel implements MessageChannel {
  readonly #options: ChildProcessChannelOptions;
  readonly #patienceMs: number;
  /** Resolves when the process is gone; never when it did not start. */
  readonly exited: Promise<ServerExit>;
  #noteExit: (exit: ServerExit) => void = () => undefined;
  #child: ChildProcess | undefined;
  #writer: MessageWriter | undefined;
  #leaving: Promise<void> | undefined;
  #wasAskedToGo = false;
  #failure: MessageChannelError | undefined;

  constructor(options: ChildProcessChannelOptions) {
    this.#options = options;
    this.#patienceMs = options.patienceMs ?? 2000;
    this.exited = new Promise((resolve) => {
      this.#noteExit = resolve;
    });
  }

  async start(listener: ChannelListener): Promise<void> {
    if (this.#child !== undefined) throw new Error('A channel is started once');
    const {
      command: [program, ...args],
      cwd,
      environment,
    } = this.#options;
    const child = spawned(program, args, { cwd, environment });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (cause) => reject(notStarted(program, cause)));
    });
    child.on('error', () => undefined); // a signal that could not be sent: the process is going
    this.#connect(child, listener);
  }

  async send(message: JsonRpcMessage): Promise<void> {
    if (this.#writer === undefined) throw closedError();
    await this.#writer.send(message);
  }

  /** Ends the input of the server, which asks it to go, and insists when it does not. */
  close(): Promise<void> {
    this.#wasAskedToGo = true;
    return this.#leave();
  }

  /** Passes a signal on to the server. */
  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  #connect(child: ChildProcess, listener: ChannelListener): void {
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) throw new Error('The streams of a child are pipes');
    const writer = new MessageWriter(stdin);
    this.#writer = writer;
    readMessages({
      input: stdout,
      maxMessageBytes: this.#options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
      listener,
      onEnd: (error) => {
        this.#failure = error;
        writer.shut();
        void this.#leave(); // without an output it is of no use to anybody
      },
    });
    child.once('exit', () => endWhenQuiet(child));
    child.once('close', (exitCode, signal) => {
      writer.shut();
      this.#noteExit({ exitCode, signal });
      listener.onClosed(this.#failure ?? this.#failureOf({ exitCode, signal }));
    });
  }

  #leave(): Promise<void> {
    this.#leaving ??= this.#seeOut();
    return this.#leaving;
  }

  async #seeOut(): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#writer === undefined) return;
    const isGone = (): boolean => child.exitCode !== null || child.signalCode !== null;
    const insistent = setTimeout(() => {
      if (!isGone()) child.kill('SIGTERM');
    }, this.#patienceMs);
    const merciless = setTimeout(() => child.kill('SIGKILL'), 2 * this.#patienceMs);
    await Promise.race([this.#writer.end(), this.exited]);
    await this.exited;
    clearTimeout(insistent);
    clearTimeout(merciless);
  }

  #failureOf({ exitCode, signal }: ServerExit): MessageChannelError | undefined {
    if (exitCode === 0 || this.#wasAskedToGo) return undefined;
    const how = signal === null ? `with code ${exitCode}` : `by ${signal}`;
    return new MessageChannelError('MCP_CHANNEL_FAILED', `The MCP server ended ${how}`, {
      hint: 'See what it wrote to standard error.',
      data: { exitCode, signal },
    });
  }
}

function spawned(
  program: string,
  args: readonly string[],
  {
    cwd,
    environment,
  }: {
    readonly cwd: string | undefined;
    readonly environment: Readonly<NodeJS.ProcessEnv> | undefined;
  },
): ChildProcess {
  try {
    return spawn(program, args, {
      cwd,
      env: environment ?? process.env,
      stdio: ['pipe', 'pipe', 'inherit'],
      windowsHide: true,
    });
  } catch (cause) {
    throw notStarted(program, cause);
  }
}

/** A process that the server left behind may hold its output open for ever. */
function endWhenQuiet({ stdout }: ChildProcess): void {
  if (stdout === null) return;
  const timer = setTimeout(() => stdout.destroy(), QUIET_MS);
  stdout.on('data', () => timer.refresh());
  stdout.once('close', () => clearTimeout(timer));
}

function notStarted(program: string, cause: unknown): MessageChannelError {
  const why = hasCode(cause, 'ENOENT')
    ? 'it, or the directory to start it in, was not found'
    : hasCode(cause, 'EACCES')
      ? 'it may not be run'
      : messageOf(cause);
  return new MessageChannelError(
    'MCP_CHANNEL_FAILED',
    `The MCP server ${program} could not be started: ${why}`,
    {
      hint: 'Check its name and PATH. For shell syntax use `sh -c "..."`.',
      data: { program },
      cause,
    },
  );
}
