import type { Checkpoint } from '@cleveragents/checkpoint-domain';
import type { Workbench } from '../composition-root.ts';
import type { Terminal } from '../terminal.ts';

/**
 * A refresh takes the project's newer work into the sandbox. A state from before lacks it, and applying that state would take
 * it out of the project again: somebody must say so.
 */
export async function warnIfOlderThanRefresh(
  terminal: Terminal,
  { plans }: Pick<Workbench, 'plans'>,
  { planId, createdAt }: Checkpoint,
): Promise<boolean> {
  const { history } = await plans.show(planId);
  const refreshed = history.findLast(({ kind }) => kind === 'refreshed');
  const isOlder = refreshed !== undefined && createdAt < refreshed.at;
  if (isOlder)
    terminal.error(
      `${terminal.colours.yellow('warning:')} this checkpoint is older than the last \`plan refresh\`: what that brought from the project shows as undone by the plan now, and an apply would undo it there. \`--path\` brings back single files.\n`,
    );
  return isOlder;
}
