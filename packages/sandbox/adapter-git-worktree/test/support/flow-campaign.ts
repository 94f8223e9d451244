import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import {
  type GitWorktreeSandbox,
  GitWorktreeSandboxFactory,
} from '@cleveragents/sandbox-adapter-git-worktree';
import {
  callSandbox,
  FLOW_CLOCK,
  type FaultOutcome,
  type FaultPoint,
  type FaultReport,
  type FlowReport,
  type Strike,
  strikeLanes,
  type StrikeOptions,
} from '@cleveragents/shared-testing';
import { type FlowRequest, openSandbox } from './sandbox-calls.ts';
import type { Flow } from './flows.ts';
import { GitLane } from './lane.ts';
import { type Picture, takePicture } from './picture.ts';

const SCRIPT = fileURLToPath(new URL('./flow-script.ts', import.meta.url));
const ENVIRONMENT = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
const ATTEMPTS = 3;

export interface Campaign extends StrikeOptions {
  /** The process itself calls again when its first call failed. */
  readonly retries?: boolean;
}

/** What the undisturbed flow led to. */
interface Done {
  readonly picture: Picture;
  readonly state: unknown;
}

/** Strikes a flow at its calls; each time looks at what is left, and at what the next command of another process makes of it. */
export function strike(flow: Flow, campaign: Campaign): Promise<FaultReport> {
  return strikeLanes<GitLane, Picture, Done>(
    {
      script: SCRIPT,
      environment: ENVIRONMENT,
      arrange: () => GitLane.arrange(flow.arrange),
      takePicture,
      request: (lane) => requestOf(flow, lane, campaign),
      verifyUndisturbed: (lane, struck) => verifyUndisturbed(flow, lane, struck),
      verify: (lane, struck) => new Verification(flow, lane, struck).run(campaign),
    },
    campaign,
  );
}

function requestOf(flow: Flow, lane: GitLane, { retries = false }: Campaign): FlowRequest {
  const { call, options = {} } = flow;
  return {
    originalPath: lane.root,
    sandboxFolder: lane.sandboxes,
    state: lane.state,
    call,
    options,
    retries,
  };
}

function reportOf(outcome: FaultOutcome): FlowReport {
  assert.equal(outcome.signal, null, outcome.stderr);
  return JSON.parse(outcome.stdout) as FlowReport;
}

async function verifyUndisturbed(
  flow: Flow,
  lane: GitLane,
  { before, outcome }: Strike<Picture>,
): Promise<Done> {
  const report = reportOf(outcome);
  assert.equal(report.failure, null, report.failure?.stack);
  const picture = await takePicture(lane);
  assert.deepEqual(picture.own, before.own);
  assert.deepEqual(picture.complaints, []);
  assert.notDeepEqual(wholeOf(picture), wholeOf(before), `${flow.name} changes nothing`);
  return { picture, state: picture.named(report.state) };
}

/** All that has two states only, the one before and the one after. */
function wholeOf({ original, sandboxes, rescued }: Picture): unknown {
  return { original, sandboxes, rescued };
}

function filesIn(sandboxes: unknown): unknown {
  return (sandboxes as { readonly files: unknown }).files;
}

class Verification {
  readonly #flow: Flow;
  readonly #lane: GitLane;
  readonly #before: Picture;
  readonly #done: Done;
  readonly #point: FaultPoint;
  readonly #outcome: FaultOutcome;

  constructor(
    flow: Flow,
    lane: GitLane,
    { before, point, outcome, done }: Strike<Picture> & { readonly done: Done },
  ) {
    this.#flow = flow;
    this.#lane = lane;
    this.#before = before;
    this.#done = done;
    this.#point = point;
    this.#outcome = outcome;
  }

  async run({ retries = false }: Campaign): Promise<void> {
    if (retries) {
      await this.#verifyRetry();
      return;
    }
    if (this.#point.kind.startsWith('kill')) await this.#verifyOwn('at the moment of death');
    else await this.#verifyFailure();
    // by turns: who looks first, or who simply calls again
    if (this.#point.index % 2 === 0) await this.#verifyRecovery();
    const sandbox = await this.#verifyNextCall();
    if (this.#flow.call === 'commit') await this.#verifyUndo(sandbox);
  }

  async #verifyOwn(when: string): Promise<Picture> {
    const picture = await takePicture(this.#lane);
    assert.deepEqual(picture.own, this.#before.own, when);
    return picture;
  }

  /** The second call of the same process does what the first one could not. */
  async #verifyRetry(): Promise<void> {
    const { retryFailure, state } = reportOf(this.#outcome);
    if (retryFailure !== null && !this.#isMergeBegun(retryFailure)) assert.fail(retryFailure.stack);
    await this.#recover();
    const picture = await this.#verifyOwn('after the second try');
    assert.deepEqual(picture.complaints, [], 'after the second try');
    assert.deepEqual(wholeOf(picture), wholeOf(this.#done.picture), 'after the second try');
    assert.deepEqual(picture.named(state), this.#done.state);
  }

  /** A refresh that was cut short after it began a merge is not begun again. */
  #isMergeBegun({ code }: { readonly code?: string | null }): boolean {
    return this.#flow.name === 'refresh with conflicts' && code === 'SANDBOX_UNRESOLVED_CONFLICTS';
  }

  /** A process that lived must have told the truth, in our words. */
  async #verifyFailure(): Promise<void> {
    const { failure, state } = reportOf(this.#outcome);
    if (failure === null) {
      await this.#recover(); // what came after the last thing that could fail may be left to that
      const picture = await this.#verifyOwn('when it was over');
      assert.deepEqual(wholeOf(picture), wholeOf(this.#done.picture), 'it said that it was done');
      assert.deepEqual(picture.named(state), this.#done.state);
      return;
    }
    const picture = await this.#verifyOwn('when it was over');
    assert.match(failure.name, /^(Sandbox|PlanStore)\w*Error$/, failure.stack);
    assert.match(failure.code ?? '', /^SANDBOX_/, failure.stack);
    assert.match(failure.hint ?? '', /\w/, `no hint: ${failure.stack}`);
    assert.doesNotMatch(failure.message, /\/proc\/self\/fd/, 'a path that nobody else can follow');
    assert.deepEqual(state, this.#lane.state, 'a call that throws leaves the sandbox as it was');
    if (failure.data?.['undone'] === false) return;
    const { original, sandboxes } = this.#flow.undoesItself ? this.#before : this.#either(picture);
    assert.deepEqual(picture.original, original, `it said that it failed: ${failure.stack}`);
    // its branch may have the commit already, which the next call takes up
    if (this.#flow.undoesItself)
      assert.deepEqual(filesIn(picture.sandboxes), filesIn(sandboxes), `after: ${failure.stack}`);
  }

  /** Of the pictures before and after, the one that is the more alike. */
  #either(picture: Picture): Picture {
    return same(picture.original, this.#done.picture.original) ? this.#done.picture : this.#before;
  }

  async #verifyRecovery(): Promise<void> {
    const said = await this.#recover();
    const picture = await this.#verifyOwn('after the recovery');
    // a dead process's place in the queue for our lock goes when the next one queues
    const complaints = picture.complaints.filter((path) => !path.includes('apply.lock.wait-'));
    assert.deepEqual(complaints, [], `after the recovery: ${said.join(' ')}`);
    assert.deepEqual(
      picture.original,
      this.#either(picture).original,
      `after the recovery: ${said.join(' ')}`,
    );
  }

  #recover(): Promise<readonly string[]> {
    const { root, sandboxes } = this.#lane;
    return new GitWorktreeSandboxFactory({ sandboxFolder: sandboxes, clock: FLOW_CLOCK }).recover(root);
  }

  async #verifyNextCall(): Promise<GitWorktreeSandbox> {
    const { call, options = {} } = this.#flow;
    const { root, sandboxes, state } = this.#lane;
    const sandbox = openSandbox({ originalPath: root, sandboxFolder: sandboxes, state });
    for (let attempt = 1; ; attempt++)
      try {
        await callSandbox(sandbox, { call, options });
        break;
      } catch (error) {
        if (this.#isMergeBegun(error as { code?: string })) break;
        if (attempt === ATTEMPTS) throw error;
      }
    const picture = await this.#verifyOwn('after the next call');
    assert.deepEqual(picture.complaints, [], 'after the next call');
    assert.deepEqual(wholeOf(picture), wholeOf(this.#done.picture), 'after the next call');
    assert.deepEqual(picture.named(sandbox.state), this.#done.state);
    return sandbox;
  }

  async #verifyUndo(sandbox: GitWorktreeSandbox): Promise<void> {
    await sandbox.rollback();
    const picture = await this.#verifyOwn('after the undo');
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
