import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { type FileCopySandbox, FileCopySandboxFactory } from '@cleveragents/sandbox-adapter-fs';
import {
  callSandbox,
  type FaultOutcome,
  type FaultPoint,
  type FaultReport,
  FLOW_CLOCK,
  type FlowReport,
  type Strike,
  strikeLanes,
  type StrikeOptions,
} from '@cleveragents/shared-testing';
import { type FlowRequest, openCopy } from './copy-calls.ts';
import type { CopyFlow } from './copy-flows.ts';
import { CopyLane, type CopyPicture, takePicture } from './copy-lane.ts';

const SCRIPT = fileURLToPath(new URL('./copy-flow-script.ts', import.meta.url));

export interface Campaign extends StrikeOptions {
  /** The process itself calls again when its first call failed. */
  readonly retries?: boolean;
}

/** Strikes a flow at its calls; each time looks at what is left, and at what the next command of another process makes of it. */
export function strike(flow: CopyFlow, campaign: Campaign): Promise<FaultReport> {
  return strikeLanes<CopyLane, CopyPicture, CopyPicture>(
    {
      script: SCRIPT,
      arrange: () => CopyLane.arrange(flow.arrange),
      takePicture,
      request: (lane) => requestOf(flow, lane, campaign),
      verifyUndisturbed: (lane, struck) => verifyUndisturbed(flow, lane, struck),
      verify: (lane, struck) => new Verification(flow, lane, struck).run(campaign),
    },
    campaign,
  );
}

function requestOf(flow: CopyFlow, lane: CopyLane, { retries = false }: Campaign): FlowRequest {
  const { root, sandboxes, kept, state } = lane;
  return { place: { root, sandboxes, kept }, state, call: flow.call, options: flow.options ?? {}, retries };
}

function reportOf(outcome: FaultOutcome): FlowReport {
  assert.equal(outcome.signal, null, outcome.stderr);
  return JSON.parse(outcome.stdout) as FlowReport;
}

function verifyUndisturbed(
  flow: CopyFlow,
  lane: CopyLane,
  { before, outcome }: Strike<CopyPicture>,
): CopyPicture {
  const { failure } = reportOf(outcome);
  assert.equal(failure, null, failure?.stack);
  const picture = takePicture(lane);
  assert.deepEqual(picture.own, before.own);
  assert.deepEqual(picture.complaints, []);
  assert.notDeepEqual(wholeOf(picture), wholeOf(before), `${flow.name} changes nothing`);
  return picture;
}

/** All that has two states only, the one before and the one after. */
function wholeOf({ original, sandboxes, keeps }: CopyPicture): unknown {
  return { original, sandboxes, keeps };
}

class Verification {
  readonly #flow: CopyFlow;
  readonly #lane: CopyLane;
  readonly #before: CopyPicture;
  readonly #done: CopyPicture;
  readonly #point: FaultPoint;
  readonly #outcome: FaultOutcome;

  constructor(
    flow: CopyFlow,
    lane: CopyLane,
    { before, point, outcome, done }: Strike<CopyPicture> & { readonly done: CopyPicture },
  ) {
    this.#flow = flow;
    this.#lane = lane;
    this.#before = before;
    this.#done = done;
    this.#point = point;
    this.#outcome = outcome;
  }

  async run({ retries = false }: Campaign): Promise<void> {
    if (retries) return this.#verifyRetry();
    if (this.#point.kind.startsWith('kill')) this.#own('at the moment of death');
    else await this.#verifyFailure();
    // by turns: who looks first, or who simply calls again
    if (this.#point.index % 2 === 0) await this.#verifyRecovery();
    const sandbox = await this.#verifyNextCall();
    if (this.#flow.call === 'commit') await this.#verifyUndo(sandbox);
  }

  #own(when: string): CopyPicture {
    const picture = takePicture(this.#lane);
    assert.deepEqual(picture.own, this.#before.own, when);
    return picture;
  }

  /** The second call of the same process does what the first one could not. */
  async #verifyRetry(): Promise<void> {
    const { failure, retryFailure } = reportOf(this.#outcome);
    if (failure === null) return this.#verifySuccess();
    if (!this.#isDone(retryFailure)) assert.fail(retryFailure?.stack);
    await this.#recover();
    this.#assertDone('after the second try');
  }

  /** What was asked for is done. A sandbox whose apply was undone may still hold it: it is of no use, and that is kept. */
  async #verifySuccess(): Promise<void> {
    await this.#recover(); // what came after the last thing that could fail may be left to that
    const { original, keeps, sandboxes } = this.#own('when it was over');
    assert.deepEqual({ original, keeps }, { original: this.#done.original, keeps: this.#done.keeps });
    if (!/^rollback from committed/.test(this.#flow.name)) assert.deepEqual(sandboxes, this.#done.sandboxes);
  }

  #assertDone(when: string): void {
    const picture = this.#own(when);
    assert.deepEqual(picture.complaints, [], when);
    assert.deepEqual(wholeOf(picture), wholeOf(this.#done), when);
  }

  /** A refresh that was done before it could be said is not begun again. */
  #isDone(failure: { readonly code?: string | null } | null): boolean {
    if (failure === null) return true;
    return this.#flow.name === 'refresh with conflicts' && failure.code === 'SANDBOX_UNRESOLVED_CONFLICTS';
  }

  /** A process that lived must have told the truth, in our words. */
  async #verifyFailure(): Promise<void> {
    const { failure, state } = reportOf(this.#outcome);
    if (failure === null) {
      await this.#verifySuccess();
      return;
    }
    const picture = this.#own('when it was over');
    assert.match(failure.name, /^Sandbox\w*Error$/, failure.stack);
    assert.match(failure.code ?? '', /^SANDBOX_/, failure.stack);
    assert.match(failure.hint ?? '', /\w/, `no hint: ${failure.stack}`);
    assert.doesNotMatch(failure.message, /\/proc\/self\/fd/, 'a path that nobody else can follow');
    assert.deepEqual(state, this.#lane.state, 'a call that throws leaves the sandbox as it was');
    if (failure.data?.['undone'] === false) return;
    assert.deepEqual(picture.original, this.#before.original, `it said that it failed: ${failure.stack}`);
    if (this.#flow.call !== 'cleanup')
      assert.deepEqual(picture.sandboxes, this.#before.sandboxes, `it said that it failed: ${failure.stack}`);
  }

  async #verifyRecovery(): Promise<void> {
    const said = await this.#recover();
    const picture = this.#own('after the recovery');
    const complaints = picture.complaints.filter((path) => !/removing|\.new\/|next/.test(path));
    assert.deepEqual(complaints, [], `after the recovery: ${said.join(' ')}`);
    const wholes = [this.#before.original, this.#done.original];
    assert.ok(
      wholes.some((whole) => same(picture.original, whole)),
      `after the recovery: ${said.join(' ')}`,
    );
    if (this.#flow.call === 'cleanup') return;
    assert.ok(
      [this.#before.sandboxes, this.#done.sandboxes].some((whole) => same(picture.sandboxes, whole)),
      `the sandbox after the recovery: ${said.join(' ')}`,
    );
  }

  #recover(): Promise<readonly string[]> {
    const { root, sandboxes, kept } = this.#lane;
    const folders = { sandboxFolder: sandboxes, stateFolder: kept };
    return new FileCopySandboxFactory({ ...folders, clock: FLOW_CLOCK }).recover(root);
  }

  async #verifyNextCall(): Promise<FileCopySandbox> {
    const { call, options = {} } = this.#flow;
    const sandbox = openCopy(this.#lane, this.#lane.state);
    try {
      await callSandbox(sandbox, { call, options });
    } catch (error) {
      if (!this.#isDone(error as { code?: string })) throw error;
    }
    this.#assertDone('after the next call');
    return sandbox;
  }

  async #verifyUndo(sandbox: FileCopySandbox): Promise<void> {
    await sandbox.rollback();
    const picture = this.#own('after the undo');
    assert.deepEqual(picture.complaints, [], 'after the undo');
    assert.deepEqual(picture.original, this.#before.original, 'after the undo');
  }
}

function same(one: unknown, other: unknown): boolean {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
}
