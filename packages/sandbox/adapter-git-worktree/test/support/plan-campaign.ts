import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { PlanRecord } from '@cleveragents/sandbox-domain';
import {
  type FaultPoint,
  type FaultReport,
  FLOW_PLAN_ID,
  type Strike,
  strikeLanes,
  type StrikeOptions,
} from '@cleveragents/shared-testing';
import { GitLane } from './lane.ts';
import { type Picture, takePicture } from './picture.ts';
import { callPlans, openPlans, plansFolder, type PlanReport, resourceAt } from './plan-calls.ts';
import type { PlanFlow } from './plan-flows.ts';

const SCRIPT = fileURLToPath(new URL('./plan-script.ts', import.meta.url));
const ENVIRONMENT = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
const ATTEMPTS = 3;

interface Done {
  readonly picture: Picture;
  readonly status: PlanRecord['status'];
}

/** Strikes a command on a plan at its calls; each time the same command is given again by another process. */
export function strikePlans(flow: PlanFlow, options: StrikeOptions): Promise<FaultReport> {
  return strikeLanes<GitLane, Picture, Done>(
    {
      script: SCRIPT,
      environment: ENVIRONMENT,
      arrange: () => GitLane.arrange(flow.arrange),
      takePicture,
      request: ({ root, sandboxes }) => ({ place: { root, sandboxes }, call: flow.call }),
      verifyUndisturbed,
      verify: async (lane, { before, point, outcome, done }) => {
        if (!point.kind.startsWith('kill')) assertTyped(flow, JSON.parse(outcome.stdout) as PlanReport);
        await verify(flow, lane, { before, point, done });
      },
    },
    options,
  );
}

async function verifyUndisturbed(
  lane: GitLane,
  { outcome: { stdout, stderr } }: Strike<Picture>,
): Promise<Done> {
  const { failure } = JSON.parse(stdout) as PlanReport;
  assert.equal(failure, null, failure?.stack ?? stderr);
  const { status } = await openPlans(lane).show(FLOW_PLAN_ID);
  const picture = await takePicture(lane);
  assert.deepEqual(picture.complaints, []);
  return { picture, status };
}

function assertTyped({ call }: PlanFlow, { failure }: PlanReport): void {
  const isOfTheWork = call === 'execute' && failure?.stack.includes('executed.txt') === true;
  if (failure !== null && !isOfTheWork) assert.match(failure.name, /^(Sandbox|Plan)\w*Error$/, failure.stack);
}

async function verify(
  flow: PlanFlow,
  lane: GitLane,
  { before, point, done }: { readonly before: Picture; readonly point: FaultPoint; readonly done: Done },
): Promise<void> {
  assert.deepEqual((await takePicture(lane)).own, before.own, 'at the moment of death');
  if (point.index % 2 === 0) await openPlans(lane).recover(resourceAt(lane.root));
  const isDiscarded = flow.call === 'create' && point.index % 4 < 2;
  if (isDiscarded) await verifyDiscard(lane, before);
  await callAgain(flow, lane);
  const plans = openPlans(lane);
  // a process that lived on may have left to the next one what it could not remove
  if (!point.kind.startsWith('kill')) await plans.recover(resourceAt(lane.root));
  assert.equal((await plans.show(FLOW_PLAN_ID)).status, done.status);
  const picture = await takePicture(lane);
  assert.deepEqual(picture.own, before.own);
  assert.deepEqual(picture.complaints, []);
  assert.deepEqual(picture.original, done.picture.original, 'after the same command');
  if (!isDiscarded) assert.deepEqual(picture.rescued, done.picture.rescued);
  if (flow.call === 'apply') await verifyUndo(lane, before);
  else assert.deepEqual(picture.sandboxes, done.picture.sandboxes);
  assertTidy(lane, flow);
}

/** Nobody need create what was cut short: it can be thrown away as well. */
async function verifyDiscard(lane: GitLane, before: Picture): Promise<void> {
  const plans = openPlans(lane);
  try {
    await plans.cleanup(FLOW_PLAN_ID);
  } catch (error) {
    if ((error as { code?: string }).code !== 'PLAN_NOT_FOUND') throw error;
    await plans.recover(resourceAt(lane.root)); // no plan, so nothing has looked at the repository yet
  }
  const { original, sandboxes, complaints } = await takePicture(lane);
  assert.deepEqual(complaints, [], 'after a creation was thrown away');
  assert.deepEqual({ original, sandboxes }, { original: before.original, sandboxes: before.sandboxes });
}

async function callAgain({ call, doneCodes }: PlanFlow, lane: GitLane): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      await callPlans({ place: lane, call });
      return;
    } catch (error) {
      if (doneCodes.includes(String((error as { code?: string }).code))) return;
      if (attempt === ATTEMPTS) throw error;
    }
}

/** Applied once: one undo takes all of it back, whatever of the clean-up was done. */
async function verifyUndo(lane: GitLane, before: Picture): Promise<void> {
  await openPlans(lane).rollback(FLOW_PLAN_ID);
  assert.deepEqual((await takePicture(lane)).original, before.original, 'after the undo');
  await openPlans(lane).cleanup(FLOW_PLAN_ID);
  const { own, original, complaints } = await takePicture(lane);
  assert.deepEqual(complaints, []);
  assert.deepEqual({ own, original }, { own: before.own, original: before.original });
  assert.equal(readdirSync(lane.sandboxes).join(' '), '');
  assert.equal((await openPlans(lane).show(FLOW_PLAN_ID)).status, 'rolled_back');
}

/** One record, and nothing beside it; the note of a dead process's work goes with the next command that minds it. */
function assertTidy(lane: GitLane, { call }: PlanFlow): void {
  const isExpected = (name: string): boolean =>
    name.endsWith('.json') || (call === 'execute' && name.includes('.work+'));
  const names = readdirSync(plansFolder(lane)).filter((name) => !isExpected(name));
  assert.equal(names.join(' '), '', 'in the folder of the plans');
}
