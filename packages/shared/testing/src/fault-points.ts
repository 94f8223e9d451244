import { bundleScript } from './bundle-script.ts';
import { runWithFault, type FaultCall, type FaultOutcome, type FaultScene } from './fault-run.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export type FaultCode = 'ENOSPC' | 'EACCES' | 'EIO' | 'EROFS' | 'EDQUOT' | 'EPERM' | 'EMFILE';

/**
 * What happens at a call that would change a file: death before it, in the middle of the data it writes, or when it is done;
 * or an error of that call alone, or of it and all that follow (those that free space succeed on a full disk).
 */
export type FaultKind =
  'kill-before' | 'kill-during' | 'kill-after' | `error:${FaultCode}` | `error-from:${FaultCode}`;

export interface FaultPoint {
  /** `none`: the run in which the calls were counted. */
  readonly kind: FaultKind | 'none';
  /** Counts from 1. */
  readonly index: number;
  /** What the run that counted called there; another order of calls that overlap is possible. */
  readonly call: FaultCall | null;
}

export interface FaultCampaign<State> {
  /** A TypeScript or JavaScript file; it is bundled once, so that each run costs only what Node costs. */
  readonly script: string | URL;
  /** A fresh state for each run. */
  prepare(): Promise<State>;
  scene(state: State): FaultScene;
  /** Rejects when the state is not what it should be after that fault. Also called for the run without a fault. */
  verify(state: State, point: FaultPoint, outcome: FaultOutcome): Promise<void>;
  dispose?(state: State): Promise<void>;
  /** Default: `kill-before` and `kill-during`. */
  readonly kinds?: readonly FaultKind[];
  /** At most that many points of each kind, spread evenly, first and last among them. Default: all. */
  readonly sample?: number;
  /** Default 2. */
  readonly concurrency?: number;
}

export interface FaultReport {
  readonly calls: readonly FaultCall[];
  /** How many runs had a fault. */
  readonly runs: number;
}

/**
 * Runs the script once undisturbed and counts its calls that change files; then once for each point and kind of fault, in a
 * real process that really dies, and has the state verified each time. Rejects with the first point that does not verify.
 */
export async function forEachFaultPoint<State>(campaign: FaultCampaign<State>): Promise<FaultReport> {
  await using workplace = temporaryDirectory('cleveragents-faults-');
  const bundle = await bundleScript(campaign.script, workplace.path);
  const undisturbed = await visit(campaign, bundle, { kind: 'none', index: 0, call: null });
  const points = (campaign.kinds ?? ['kill-before', 'kill-during']).flatMap((kind) =>
    spread(pointsOf(kind, undisturbed.calls), campaign.sample),
  );
  const queue = [...points];
  const work = async (): Promise<void> => {
    for (let point = queue.shift(); point !== undefined; point = queue.shift())
      await visit(campaign, bundle, point);
  };
  try {
    await Promise.all(Array.from({ length: campaign.concurrency ?? 2 }, work));
  } finally {
    queue.length = 0;
  }
  return { calls: undisturbed.calls, runs: points.length };
}

function pointsOf(kind: FaultKind, calls: readonly FaultCall[]): readonly FaultPoint[] {
  return calls
    .map((call, position) => ({ kind, index: position + 1, call }))
    .filter(({ call }) => {
      if (kind === 'kill-during') return call.tearable;
      return call.needsSpace || !/ENOSPC|EDQUOT/.test(kind);
    });
}

function spread<Item>(items: readonly Item[], most = Infinity): readonly Item[] {
  if (items.length <= most) return items;
  const step = most === 1 ? 0 : (items.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, place) => items[Math.round(place * step)]).filter(
    (item) => item !== undefined,
  );
}

async function visit<State>(
  campaign: FaultCampaign<State>,
  bundle: string,
  point: FaultPoint,
): Promise<FaultOutcome> {
  const state = await campaign.prepare();
  try {
    const outcome = await runWithFault(bundle, campaign.scene(state), faultOf(point));
    await campaign.verify(state, point, outcome);
    return outcome;
  } catch (cause) {
    throw new Error(`${describe(point)}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  } finally {
    await campaign.dispose?.(state);
  }
}

function faultOf({ kind, index }: FaultPoint): string {
  if (kind === 'none') return 'count';
  const [mode, code] = kind.split(':');
  return [mode, index, ...(code === undefined ? [] : [code])].join(':');
}

function describe({ kind, index, call }: FaultPoint): string {
  if (call === null) return 'Without a fault';
  return `${kind} at call ${index.toString()}, ${call.name} ${call.paths.join(' -> ')}`;
}
