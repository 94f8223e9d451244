import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import {
  type FaultKind,
  type FaultOutcome,
  type FaultPoint,
  type FaultReport,
  forEachFaultPoint,
} from '@cleveragents/shared-testing';
import { recover } from '../../src/isomorphic-operations.ts';
import { litterIn } from './picture.ts';
import type { SceneOperations } from './scene-script.ts';
import { openAt, type TestRepository } from './worktrees.ts';

export interface Campaign {
  readonly kinds: readonly FaultKind[];
  /** Points of each kind; all of them when left out. */
  readonly sample?: number;
}

/** A repository just before an operation. */
export interface Scene<Name extends keyof SceneOperations = keyof SceneOperations> {
  readonly repository: TestRepository;
  readonly operation: Name;
  readonly request: SceneOperations[Name];
  /** All that the operation may change and all that it must not, as a user and git see it. */
  picture(): unknown;
}

export interface Expectation {
  /** Whether an operation that failed has undone itself; otherwise recovery finishes or undoes it. */
  readonly undoesItself: boolean;
}

interface Staged {
  readonly scene: Scene;
  readonly before: unknown;
}

export const SCENE_SCRIPT = fileURLToPath(new URL('./scene-script.ts', import.meta.url));

/** Strikes the operation at its calls, and looks each time at what it left and at what recovery makes of that. */
export async function runCampaign(
  build: () => Promise<Scene>,
  { undoesItself }: Expectation,
  campaign: Campaign,
): Promise<FaultReport> {
  let after: unknown;
  return await forEachFaultPoint<Staged>({
    script: SCENE_SCRIPT,
    ...campaign,
    prepare: async () => {
      const scene = await build();
      return { scene, before: scene.picture() };
    },
    scene: ({ scene }) => ({
      arguments: [scene.repository.root, scene.operation, JSON.stringify(scene.request)],
      roots: [scene.repository.folder],
    }),
    verify: async ({ scene, before }, point, outcome) => {
      if (point.kind === 'none') {
        assert.equal(resultOf(outcome).ok, true, outcome.stdout + outcome.stderr);
        after = scene.picture();
        assert.notDeepEqual(after, before, 'the operation changes nothing');
        assert.deepEqual(litterIn(`${scene.repository.root}/.git`), []);
        return;
      }
      const isAlive = !point.kind.startsWith('kill');
      if (isAlive) verifyFailure(scene, { before, undoesItself }, outcome);
      const isDone = isAlive && resultOf(outcome).ok;
      await verifyRecovery(scene, { before: isDone ? after : before, after }, point);
    },
    dispose: async ({ scene }) => scene.repository.remove(),
  });
}

interface Pictures {
  readonly before: unknown;
  readonly after: unknown;
}

/** The process lived, so it must have told the truth, and set right what it could not finish. */
function verifyFailure(
  scene: Scene,
  { before, undoesItself }: Pick<Pictures, 'before'> & Expectation,
  outcome: FaultOutcome,
): void {
  const result = resultOf(outcome);
  if (!result.ok) {
    assert.match(String(result.code), /^GIT_/, outcome.stdout);
    const isUndone = undoesItself && result.data?.['undone'] !== false;
    if (isUndone) assert.deepEqual(scene.picture(), before, `it said it had failed: ${outcome.stdout}`);
  }
}

async function verifyRecovery(scene: Scene, { before, after }: Pictures, point: FaultPoint): Promise<void> {
  const { repository } = scene;
  const opened = await openAt(repository.root);
  const report = await recover(opened);
  const said = `${point.kind} ${point.index}: ${JSON.stringify(report.actions)}`;
  assert.ok(!report.actions.some(({ outcome }) => outcome === 'blocked'), said);
  const now = scene.picture();
  try {
    assert.deepEqual(now, before);
  } catch {
    assert.deepEqual(now, after, `neither as before nor as after: ${said}`);
  }
  assert.equal(repository.fsck(), '');
  assert.deepEqual(litterIn(`${repository.root}/.git`), [], said);
  assert.deepEqual(await recover(opened), { actions: [] });
}

interface SceneResult {
  readonly ok: boolean;
  readonly code?: string | null;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly result?: { readonly leftOver?: readonly unknown[] } | null;
}

function resultOf(outcome: FaultOutcome): SceneResult {
  assert.equal(outcome.signal, null, outcome.stderr);
  return JSON.parse(outcome.stdout) as SceneResult;
}
