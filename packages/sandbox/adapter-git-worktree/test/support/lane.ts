import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SandboxState } from '@cleveragents/sandbox-domain';
import { runGit, temporaryDirectory, TemporaryRepository } from '@cleveragents/shared-testing';

const run = promisify(execFile);

const CONFIG = `[user]
	name = Ada Author
	email = ada@example.invalid
[gc]
	auto = 0
[cleveragents-test]
	note = the user's own setting
`;

/**
 * A place where one flow is run again and again: worktrees name absolute paths, so that the state before the flow is put
 * back to the place that it was made at.
 */
export class Lane {
  readonly folder = temporaryDirectory('cleveragents-lane-').path;
  readonly root = join(this.folder, 'place', 'original');
  readonly sandboxes = join(this.folder, 'place', 'sandboxes');
  readonly original = new TemporaryRepository(this.root);
  #state: SandboxState | null = null;

  /** @param arrange makes what the flow begins with; the state of its sandbox, if it keeps that itself. */
  static async arrange(arrange: (lane: Lane) => Promise<SandboxState | void>): Promise<Lane> {
    const lane = new Lane();
    mkdirSync(lane.root, { recursive: true });
    mkdirSync(lane.sandboxes);
    await runGit(['init', '--quiet', '--template=', '--initial-branch=main'], { cwd: lane.root });
    await appendFile(join(lane.root, '.git/config'), CONFIG);
    lane.#state = (await arrange(lane)) ?? null;
    await run('cp', ['-a', join(lane.folder, 'place'), join(lane.folder, 'template')]);
    return lane;
  }

  /** As it was written down when the flow was about to begin. */
  get state(): SandboxState {
    if (this.#state === null) throw new Error('nobody arranged a sandbox here');
    return this.#state;
  }

  async reset(): Promise<void> {
    const script = 'rm -rf place && cp -a template place';
    await run('sh', ['-c', script], { cwd: this.folder });
  }
}

/** Hands out lanes, each to one user at a time. */
export class Lanes {
  readonly #arrange: (lane: Lane) => Promise<SandboxState | void>;
  readonly #free: Lane[] = [];

  constructor(arrange: (lane: Lane) => Promise<SandboxState | void>) {
    this.#arrange = arrange;
  }

  async take(): Promise<Lane> {
    const lane = this.#free.pop();
    if (lane === undefined) return Lane.arrange(this.#arrange);
    await lane.reset();
    return lane;
  }

  giveBack(lane: Lane): void {
    this.#free.push(lane);
  }
}
