import type { GitWorktreeMetadata, PlanRecord } from '@cleveragents/sandbox-domain';
import type { Terminal } from '../terminal.ts';
import { printable } from './text.ts';

const LABEL_WIDTH = 12;

/** Everything that a person wants to know of one plan. */
export function renderPlan({ colours }: Terminal, plan: PlanRecord): string {
  const { sandbox } = plan;
  const context = sandbox.status === 'pending' ? null : sandbox.context;
  const isThere =
    sandbox.status === 'created' || sandbox.status === 'active' || sandbox.status === 'rolled_back';
  const metadata = context?.metadata.strategy === 'git_worktree' ? context.metadata : null;
  const rows: readonly (readonly [string, string | null])[] = [
    ['Plan', printable(plan.planId)],
    ['Status', plan.status],
    ['Strategy', context?.metadata.strategy ?? null],
    ['Project', `${printable(plan.resource.project)} (${printable(plan.resource.path)})`],
    ['Sandbox', isThere && context !== null ? printable(context.sandboxPath) : sandbox.status],
    ['Branch', metadata === null ? null : printable(metadata.branch)],
    ['Target', metadata === null ? null : printable(metadata.targetBranch ?? 'none: HEAD was detached')],
    ['Base', metadata?.baseCommit.slice(0, 10) ?? null],
    ['Engine', engineOf(metadata)],
    ['Created', plan.createdAt],
  ];
  const lines = rows.flatMap(([label, value]) =>
    value === null ? [] : [`${colours.dim(label.padEnd(LABEL_WIDTH))}${value}`],
  );
  const history = plan.history
    .slice(-10)
    .map(({ at, detail }) => `  ${colours.dim(at)}  ${printable(detail)}`);
  return `${[...lines, ...(history.length === 0 ? [] : [colours.dim('History'), ...history])].join('\n')}\n`;
}

function engineOf(metadata: GitWorktreeMetadata | null): string | null {
  if (metadata === null) return null;
  const { engine, engineReason } = metadata;
  return engineReason === undefined ? engine : `${engine}: ${printable(engineReason)}`;
}

/** One line a plan. */
export function renderPlanTable({ colours }: Terminal, plans: readonly PlanRecord[], known: number): string {
  if (plans.length === 0)
    return known === 0
      ? 'No plans here yet.\n'
      : `No open plans. ${known} in all: see \`cleveragents plan list --all\`.\n`;
  const width = Math.max(...plans.map(({ planId }) => printable(planId).length));
  return plans
    .map(({ planId, status, createdAt, history }) => {
      const [last = ''] = (history.at(-1)?.detail ?? 'Sandbox not made yet').split('\n');
      return `${colours.bold(printable(planId).padEnd(width))}  ${status.padEnd(11)}  ${createdAt}  ${printable(last)}\n`;
    })
    .join('');
}
