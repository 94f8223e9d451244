import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SandboxState } from '@cleveragents/sandbox-domain';
import {
  type FaultCampaign,
  type FaultKind,
  type FaultPoint,
  type FaultReport,
  forEachFaultPoint,
} from './fault-points.ts';
import type { FaultOutcome } from './fault-run.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

/**
 * A place where one flow is run again and again: sandboxes name absolute paths, so that the state before the flow is put back
 * to the place that it was made at.
 */
export class Lane {
  readonly folder = temporaryDirectory('cleveragents-lane-').path;
  readonly root = join(this.folder, 'place', 'original');
  readonly sandboxes = join(this.folder, 'place', 'sandboxes');
  #state: SandboxState | null = null;

  constructor() {
    for (const folder of [this.root, this.sandboxes]) mkdirSync(folder, { recursive: true });
  }

  /** What lies there now is what the flow begins with. @param state of its sandbox, if it does not keep that itself. */
  async keep(state: SandboxState | null): Promise<void> {
    this.#state = state;
    await run('cp', ['-a', join(this.folder, 'place'), join(this.folder, 'template')]);
  }

  /** As it was written down when the flow was about to begin. */
  get state(): SandboxState {
    if (this.#state === null) throw new Error('nobody arranged a sandbox here');
    return this.#state;
  }

  async reset(): Promise<void> {
    const script = 'chmod -R u+rwx place; rm -rf place && cp -a template place';
    await run('sh', ['-c', script], { cwd: this.folder });
  }
}

/** Hands out lanes, each to one user at a time. */
export class Lanes<Kind extends Lane> {
  readonly #arrange: () => Promise<Kind>;
  readonly #free: Kind[] = [];

  constructor(arrange: () => Promise<Kind>) {
    this.#arrange = arrange;
  }

  async take(): Promise<Kind> {
    const lane = this.#free.pop();
    if (lane === undefined) return this.#arrange();
    await lane.reset();
    return lane;
  }

  giveBack(lane: Kind): void {
    this.#free.push(lane);
  }
}

export interface StrikeOptions {
  readonly kinds: readonly FaultKind[];
  /** Points of each kind; all of them when left out. */
  readonly sample?: number;
}

export interface Strike<Picture> {
  readonly before: Picture;
  readonly point: FaultPoint;
  readonly outcome: FaultOutcome;
}

export interface LaneCampaign<Kind extends Lane, Picture, Done> extends Pick<FaultCampaign<Kind>, 'script'> {
  readonly arrange: () => Promise<Kind>;
  readonly takePicture: (lane: Kind) => Picture | Promise<Picture>;
  /** What the script is called with. */
  readonly request: (lane: Kind) => unknown;
  readonly environment?: Readonly<Record<string, string>>;
  /** Looks at the lane of the run without a fault, and remembers what that led to. */
  readonly verifyUndisturbed: (lane: Kind, strike: Strike<Picture>) => Done | Promise<Done>;
  readonly verify: (lane: Kind, strike: Strike<Picture> & { readonly done: Done }) => Promise<void>;
}

/** Strikes a flow at its calls, each time on a lane as it was arranged. */
export async function strikeLanes<Kind extends Lane, Picture, Done extends object>(
  campaign: LaneCampaign<Kind, Picture, Done>,
  options: StrikeOptions,
): Promise<FaultReport> {
  const lanes = new Lanes(campaign.arrange);
  let done: Done | null = null;
  return await forEachFaultPoint<{ readonly lane: Kind; readonly before: Picture }>({
    script: campaign.script,
    ...options,
    prepare: async () => {
      const lane = await lanes.take();
      return { lane, before: await campaign.takePicture(lane) };
    },
    scene: ({ lane }) => ({
      arguments: [JSON.stringify(campaign.request(lane))],
      environment: campaign.environment ?? {},
      roots: [lane.folder],
    }),
    verify: async ({ lane, before }, point, outcome) => {
      if (done === null) done = await campaign.verifyUndisturbed(lane, { before, point, outcome });
      else await campaign.verify(lane, { before, point, outcome, done });
    },
    dispose: async ({ lane }) => lanes.giveBack(lane),
  });
}
