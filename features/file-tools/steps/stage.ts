import assert from 'node:assert/strict';
import {
  ChangeSetCapture,
  createFileTools,
  registerFileTools,
  ToolRegistry,
} from '@cleveragents/file-tools-application';
import type { ToolResult } from '@cleveragents/file-tools-domain';
import { messageOf } from '@cleveragents/shared-kernel';
import type { FileToolsRoom } from '../driver.ts';
import { ALL_DRIVERS } from '../drivers/all.ts';

type Output = Readonly<Record<string, unknown>>;

/** One scenario as it unfolds on one driver. */
export class Stage {
  readonly name: string;
  readonly room: FileToolsRoom;
  registry = new ToolRegistry();
  changes: ChangeSetCapture | undefined;
  #answer: ToolResult | undefined;

  constructor(name: string, room: FileToolsRoom) {
    this.name = name;
    this.room = room;
    registerFileTools(this.registry, room.options);
  }

  async call(tool: string, input: Output): Promise<void> {
    this.#answer = await this.registry.execute(`builtin/${tool}`, input);
  }

  /** From here on calls are recorded. */
  record(planId: string): void {
    this.changes = new ChangeSetCapture({ planId });
    this.registry = new ToolRegistry();
    registerFileTools(this.registry, { ...this.room.options, changeSet: this.changes });
  }

  /** A tool that nobody has heard of, which does what file-write does. */
  async writeByStrangeTool(path: string, content: string): Promise<void> {
    const [, write] = createFileTools(this.room.options);
    assert.ok(write);
    const strange = this.recorded.wrap({ ...write, name: 'custom/scribble' }, this.room.options);
    this.#answer = await strange.execute({ path, content });
  }

  get recorded(): ChangeSetCapture {
    assert.ok(this.changes, 'no change set was begun');
    return this.changes;
  }

  get output(): Output {
    assert.ok(this.#answer, 'no tool was called');
    assert.ok(this.#answer.success, JSON.stringify(this.#answer));
    return this.#answer.output;
  }

  get failure(): { readonly code: string; readonly message: string; readonly hint?: string } {
    assert.ok(this.#answer && !this.#answer.success, `not refused: ${JSON.stringify(this.#answer)}`);
    return this.#answer.error;
  }
}

/** By scenario, so that this context needs no world class of its own and other contexts' steps can share the run. */
const stagesOf = new WeakMap<object, readonly Stage[]>();

/** Plays a step on every driver, and says on which it failed. */
export async function onEachStage(
  world: object,
  step: (stage: Stage) => Promise<void> | void,
): Promise<void> {
  for (const stage of await stages(world)) {
    try {
      await step(stage);
    } catch (error) {
      throw new Error(`on ${stage.name}: ${messageOf(error)}`, { cause: error });
    }
  }
}

export async function closeStages(world: object): Promise<void> {
  for (const { room } of stagesOf.get(world) ?? []) await room.close();
  stagesOf.delete(world);
}

async function stages(world: object): Promise<readonly Stage[]> {
  const present = stagesOf.get(world);
  if (present !== undefined) return present;
  const opened = await Promise.all(
    ALL_DRIVERS.map(async (driver) => new Stage(driver.name, await driver.open())),
  );
  stagesOf.set(world, opened);
  return opened;
}
