import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { When } from '@cucumber/cucumber';
import { type JourneyWorld, runCommandLine } from './journey.steps.ts';

/** The id of a plan's n-th checkpoint, counted from 1, as `checkpoint list --json` has it. */
function checkpointId(world: JourneyWorld, plan: string, number: number): string {
  runCommandLine(world, `cleveragents checkpoint list ${plan} --json`);
  const { checkpoints } = JSON.parse(world.output) as { checkpoints: readonly { checkpointId: string }[] };
  const found = checkpoints[number - 1];
  assert.ok(found, `plan ${plan} has ${checkpoints.length} checkpoints`);
  return found.checkpointId;
}

When(
  'I roll back to checkpoint {int} of plan {string}',
  function (this: JourneyWorld, number: number, plan: string) {
    runCommandLine(this, `cleveragents checkpoint rollback ${checkpointId(this, plan, number)}`);
  },
);

When(
  'I roll back to checkpoint {int} of plan {string} with {string}',
  function (this: JourneyWorld, number: number, plan: string, options: string) {
    const id = checkpointId(this, plan, number);
    runCommandLine(this, `cleveragents checkpoint rollback ${id} ${options}`);
  },
);

When(
  'I rehearse going back to checkpoint {int} of plan {string}',
  function (this: JourneyWorld, number: number, plan: string) {
    runCommandLine(this, `cleveragents checkpoint rollback ${checkpointId(this, plan, number)} --dry-run`);
  },
);

When(
  'I restore plan {string} from its checkpoint {int}',
  function (this: JourneyWorld, plan: string, number: number) {
    const id = checkpointId(this, plan, number);
    runCommandLine(this, `cleveragents plan restore ${plan} --checkpoint ${id}`);
  },
);

When('a cleaner takes the sandbox of plan {string}', function (this: JourneyWorld, plan: string) {
  runCommandLine(this, `cleveragents plan show ${plan} --json`);
  const { plan: record } = JSON.parse(this.output) as {
    plan: { sandbox: { context: { sandboxPath: string } } };
  };
  rmSync(record.sandbox.context.sandboxPath, { recursive: true });
});
