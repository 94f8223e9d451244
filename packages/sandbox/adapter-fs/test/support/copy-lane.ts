import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SandboxState } from '@cleveragents/sandbox-domain';
import { temporaryDirectory } from '@cleveragents/shared-testing';
import type { CopyPlace } from './copy-calls.ts';
import { pictureOf } from './copy-bench.ts';

const run = promisify(execFile);

/** A place where one flow is run again and again, put back to what it was before each time. */
export class CopyLane implements CopyPlace {
  readonly folder = temporaryDirectory('cleveragents-lane-').path;
  readonly root = join(this.folder, 'place', 'original');
  readonly sandboxes = join(this.folder, 'place', 'sandboxes');
  readonly kept = join(this.folder, 'place', 'kept');
  #state: SandboxState | null = null;

  static async arrange(arrange: (lane: CopyLane) => Promise<SandboxState | void>): Promise<CopyLane> {
    const lane = new CopyLane();
    for (const folder of [lane.root, lane.sandboxes, lane.kept]) mkdirSync(folder, { recursive: true });
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
    await run('sh', ['-c', 'chmod -R u+rwx place; rm -rf place && cp -a template place'], {
      cwd: this.folder,
    });
  }
}

/** All that a user and an agent can see, the same for the same work at any time. */
export interface CopyPicture {
  /** What no flow may touch at any moment. */
  readonly own: unknown;
  readonly original: unknown;
  readonly sandboxes: unknown;
  /** Names of changes that are kept, by where they are kept. */
  readonly keeps: readonly string[];
  /** What is left lying about. */
  readonly complaints: readonly string[];
}

const OWN = /^(notes\.txt|mine\/)/;

export function takePicture({ root, sandboxes, kept }: CopyPlace): CopyPicture {
  const files = Object.entries(pictureOf(root));
  const outside = Object.entries(pictureOf(kept));
  return {
    own: Object.fromEntries(files.filter(([path]) => OWN.test(path))),
    original: Object.fromEntries(files.filter(([path]) => !OWN.test(path) && !isLitter(path))),
    sandboxes: Object.fromEntries(
      Object.entries(pictureOf(sandboxes))
        .filter(([path]) => !isLitter(path))
        .map(([path, facts]) => [
          path.replace(/-[0-9a-f]{8}(?=\/)/, '-<random>'),
          facts.replaceAll(root, '<original>'),
        ]),
    ),
    keeps: outside
      .flatMap(([path, facts]) => {
        const [, where] = /(rescued|applied|undone)\/(?:[^/]+\/){0,2}changes\.json$/.exec(path) ?? [];
        const [, id] = /"id": "([0-9a-f]{64})"/.exec(facts) ?? [];
        return where === undefined ? [] : [`${where} ${id ?? 'damaged'}`];
      })
      .sort(),
    complaints: [
      ...files.map(([path]) => path).filter(isLitter),
      ...Object.keys(pictureOf(sandboxes)).filter(isLitter),
      ...outside.map(([path]) => path).filter(isForgotten),
    ],
  };
}

function isLitter(path: string): boolean {
  return path.includes('.cleveragents-');
}

function isForgotten(path: string): boolean {
  return /journal\/.|applying|\.new\/|manifest\.next|removing|\.cleveragents-/.test(path);
}

export function copiesIn({ sandboxes }: CopyPlace): readonly string[] {
  return existsSync(sandboxes) ? readdirSync(sandboxes) : [];
}

/** Hands out lanes, each to one user at a time. */
export class CopyLanes {
  readonly #arrange: (lane: CopyLane) => Promise<SandboxState | void>;
  readonly #free: CopyLane[] = [];

  constructor(arrange: (lane: CopyLane) => Promise<SandboxState | void>) {
    this.#arrange = arrange;
  }

  async take(): Promise<CopyLane> {
    const lane = this.#free.pop();
    if (lane === undefined) return CopyLane.arrange(this.#arrange);
    await lane.reset();
    return lane;
  }

  giveBack(lane: CopyLane): void {
    this.#free.push(lane);
  }
}
