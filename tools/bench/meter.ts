import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Milliseconds; `cpu` is user and system time of everything that worked. */
export interface Usage {
  readonly wall: number;
  readonly cpu: number;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Measures work in this process and in the commands it runs. Node tells a process nothing of its children's CPU time, so
 * commands run in bash, whose `times` reads RUSAGE_CHILDREN. What it costs this process and bash to start them is left out:
 * a command counts as it would in a user's script.
 */
export class Meter {
  #commands: Usage = { wall: 0, cpu: 0 };
  #overhead: Usage = { wall: 0, cpu: 0 };

  /** @throws Error with the command's error output unless it ends with 0. */
  command(words: readonly string[], options: CommandOptions): void {
    this.#shell('"$@"', words, options);
  }

  /** A script of a user, for `bash -c`; its standard output is thrown away. */
  script(text: string, options: CommandOptions): void {
    this.#shell('eval "$1"', [text], options);
  }

  /**
   * Asks a process that was there before, and counts what it and its children spend meanwhile; what it costs this process to
   * ask is left out.
   */
  async asking(processId: number, work: () => Promise<void>): Promise<void> {
    const [start, before] = [ownUsage(), cpuOfFamily(processId)];
    await work();
    const spent = cpuOfFamily(processId) - before;
    this.#overhead = sum(this.#overhead, { wall: 0, cpu: difference(ownUsage(), start).cpu });
    this.#commands = sum(this.#commands, { wall: 0, cpu: spent });
  }

  /** What `work` cost. */
  async measure(work: (meter: Meter) => void | Promise<void>): Promise<Usage> {
    this.#commands = this.#overhead = { wall: 0, cpu: 0 };
    const start = ownUsage();
    await work(this);
    const own = difference(ownUsage(), start);
    return sum(difference(own, this.#overhead), this.#commands);
  }

  #shell(body: string, words: readonly string[], { cwd, env }: CommandOptions): void {
    const start = ownUsage();
    const run = spawnSync('bash', ['-c', `${BEFORE} ${body} >/dev/null; ${AFTER}`, 'bash', ...words], {
      cwd,
      env: { ...(env ?? process.env), LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    if (run.error !== undefined) throw run.error;
    if (run.status !== 0) throw new Error(`${words.join(' ')} ended with ${run.status}:\n${run.stderr}`);
    const outer = difference(ownUsage(), start);
    this.#overhead = sum(this.#overhead, outer);
    this.#commands = sum(this.#commands, parseUsage(run.output[3] ?? '', outer.wall));
  }
}

/** Linux counts in hundredths of a second. Zero where no one tells. */
const MILLISECONDS_PER_TICK = 10;

function cpuOfFamily(processId: number): number {
  const folder = `/proc/${processId}`;
  if (!existsSync(folder)) return 0;
  const stat = readFileSync(`${folder}/stat`, 'utf8');
  const [userTicks = 0, systemTicks = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  const children = readFileSync(`${folder}/task/${processId}/children`, 'utf8').split(' ').map(Number);
  return children
    .filter((child) => child > 0)
    .reduce((spent, child) => spent + cpuOfFamily(child), (userTicks + systemTicks) * MILLISECONDS_PER_TICK);
}

const BEFORE = 'from=${EPOCHREALTIME:-0};';
const AFTER = 'status=$?; to=${EPOCHREALTIME:-0}; { times; echo "$from $to"; } >&3; exit $status';

/** The last lines: user and system time of bash, those of its children, and the clock before and after (0 before bash 5). */
function parseUsage(text: string, outerWall: number): Usage {
  const lines = text.trim().split('\n');
  const [from = 0, to = 0] = (lines.at(-1) ?? '').split(' ').map(Number);
  const cpu = (lines.at(-2) ?? '').split(' ').map(minutesAndSeconds);
  return {
    wall: to > from ? (to - from) * 1000 : outerWall,
    cpu: cpu.reduce((left, right) => left + right, 0),
  };
}

/** `0m0.042s` in milliseconds. */
function minutesAndSeconds(text: string): number {
  const match = /^(\d+)m([\d.]+)s$/.exec(text);
  if (match === null) throw new Error(`bash's times said "${text}"`);
  return (Number(match[1]) * 60 + Number(match[2])) * 1000;
}

function ownUsage(): Usage {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now(), cpu: (user + system) / 1000 };
}

const difference = (left: Usage, right: Usage): Usage => ({
  wall: left.wall - right.wall,
  cpu: left.cpu - right.cpu,
});

const sum = (left: Usage, right: Usage): Usage => ({
  wall: left.wall + right.wall,
  cpu: left.cpu + right.cpu,
});
