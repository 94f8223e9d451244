import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { type FaultKind, FLOW_PLAN_ID, strikeLanes, TORTURE_SAMPLE } from '@cleveragents/shared-testing';
import { BESIDE, beginProject, userEdits, workHardIn } from '../support/copy-flows.ts';
import { CopyLane, type CopyPicture, takePicture } from '../support/copy-lane.ts';
import { callPlans, openPlans, type PlanCall, resourceAt } from '../support/copy-plan-calls.ts';

const SCRIPT = fileURLToPath(new URL('../support/copy-plan-script.ts', import.meta.url));
const ATTEMPTS = 3;

interface PlanFlow {
  readonly call: PlanCall;
  readonly name: string;
  /** Codes with which the same command may be refused when it had been done already. */
  readonly doneCodes: readonly string[];
  readonly arrange: (lane: CopyLane) => Promise<void>;
}

async function activePlan(lane: CopyLane): Promise<void> {
  beginProject(lane);
  const plans = openPlans(lane);
  await plans.create({ planId: FLOW_PLAN_ID, resource: resourceAt(lane.root) });
  await plans.execute(FLOW_PLAN_ID, { label: 'work', run: async ({ path }) => workHardIn(path) });
}

const FLOWS: readonly PlanFlow[] = [
  {
    call: 'create',
    name: 'create',
    doneCodes: ['PLAN_EXISTS'],
    arrange: async (lane) => beginProject(lane),
  },
  { call: 'apply', name: 'apply', doneCodes: ['SANDBOX_INVALID_STATE'], arrange: activePlan },
  {
    call: 'rollback',
    name: 'rollback of an applied plan',
    doneCodes: ['SANDBOX_INVALID_STATE'],
    arrange: async (lane) => {
      await activePlan(lane);
      await openPlans(lane).apply(FLOW_PLAN_ID);
    },
  },
  {
    call: 'rollback',
    name: 'rollback of an open plan',
    doneCodes: ['SANDBOX_INVALID_STATE'],
    arrange: activePlan,
  },
  {
    call: 'refresh',
    name: 'refresh',
    doneCodes: [],
    arrange: async (lane) => {
      await activePlan(lane);
      userEdits(lane, BESIDE);
    },
  },
  { call: 'cleanup', name: 'cleanup', doneCodes: [], arrange: activePlan },
  {
    call: 'restore',
    name: 'restore',
    doneCodes: ['PLAN_EXISTS'],
    arrange: async (lane) => {
      await activePlan(lane);
      await openPlans(lane).cleanup(FLOW_PLAN_ID);
    },
  },
];

interface Done {
  readonly picture: CopyPicture;
  readonly status: string;
}

async function strike(flow: PlanFlow, kinds: readonly FaultKind[]): Promise<number> {
  const { runs } = await strikeLanes<CopyLane, CopyPicture, Done>(
    {
      script: SCRIPT,
      arrange: () => CopyLane.arrange(flow.arrange),
      takePicture,
      request: ({ root, sandboxes, kept }) => ({ place: { root, sandboxes, kept }, call: flow.call }),
      verifyUndisturbed: async (lane, { before, outcome }) => {
        const picture = takePicture(lane);
        assert.deepEqual(picture.own, before.own);
        assert.equal(JSON.parse(outcome.stdout).failure, null, outcome.stdout);
        return { picture, status: (await openPlans(lane).show(FLOW_PLAN_ID)).status };
      },
      verify: async (lane, { before, point, done }) => {
        assert.deepEqual(takePicture(lane).own, before.own);
        if (point.index % 2 === 0) await openPlans(lane).recover(resourceAt(lane.root));
        await callAgain(flow, lane);
        await openPlans(lane).recover(resourceAt(lane.root));
        const picture = takePicture(lane);
        assert.equal((await openPlans(lane).show(FLOW_PLAN_ID)).status, done.status);
        assert.deepEqual(picture.own, before.own);
        assert.deepEqual(picture.complaints, []);
        assert.deepEqual(picture.original, done.picture.original, 'after the same command');
        assert.deepEqual(picture.keeps, done.picture.keeps);
        if (flow.call !== 'apply') assert.deepEqual(picture.sandboxes, done.picture.sandboxes);
        else await verifyUndo(lane, before);
      },
    },
    { kinds, ...TORTURE_SAMPLE },
  );
  return runs;
}

async function callAgain({ call, doneCodes }: PlanFlow, lane: CopyLane): Promise<void> {
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
async function verifyUndo(lane: CopyLane, before: CopyPicture): Promise<void> {
  await openPlans(lane).rollback(FLOW_PLAN_ID);
  assert.deepEqual(takePicture(lane).original, before.original, 'after the undo');
  await openPlans(lane).cleanup(FLOW_PLAN_ID);
  assert.deepEqual(takePicture(lane).sandboxes, {});
}

describe.each(FLOWS.map((flow) => [flow.name, flow] as const))('%s of a plan on a copy', (_name, flow) => {
  it('ends right with the same command of another process, wherever it was killed', async () => {
    expect(await strike(flow, ['kill-before', 'kill-during', 'kill-after'])).toBeGreaterThan(30);
  }, 3_600_000);

  it('ends right with the same command of another process, whatever call the system refused', async () => {
    expect(await strike(flow, ['error:EIO', 'error-from:ENOSPC'])).toBeGreaterThan(20);
  }, 3_600_000);
});
