import { messageOf } from '@cleveragents/shared-kernel';
import { openAllDrivers } from '../drivers/all.ts';
import { Stage } from './stage.ts';

/** By scenario, so that this context needs no world class of its own and other contexts' steps can share the run. */
const stagesOf = new WeakMap<object, readonly Stage[]>();

/** Plays a step on every driver, and says on which it failed. */
export async function onEach(world: object, step: (stage: Stage) => Promise<void> | void): Promise<void> {
  for (const stage of stages(world)) {
    try {
      await step(stage);
    } catch (error) {
      throw new Error(`on ${stage.driver.name}: ${messageOf(error)}`, { cause: error });
    }
  }
}

export async function closeDrivers(world: object): Promise<void> {
  for (const { driver } of stagesOf.get(world) ?? []) await driver.close();
  stagesOf.delete(world);
}

function stages(world: object): readonly Stage[] {
  const present = stagesOf.get(world) ?? openAllDrivers().map((driver) => new Stage(driver));
  stagesOf.set(world, present);
  return present;
}
