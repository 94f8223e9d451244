import {
  InMemoryCheckpointRepository,
  InMemoryCorrectionLog,
  InMemoryPlanStateGuard,
  InMemorySnapshotStore,
  InMemoryTree,
} from '@cleveragents/checkpoint-adapter-memory';
import {
  CheckpointService,
  type CheckpointServiceParts,
  CorrectionService,
} from '@cleveragents/checkpoint-application';
import { FixedClock, SeededIds } from '@cleveragents/shared-testing';

export const PLAN = 'the plan';
export const ROOT = '/sandbox';

/** A plan with a sandbox in memory, and everything that looks after it. */
export interface InMemoryPlan {
  readonly tree: InMemoryTree;
  readonly trees: Map<string, InMemoryTree>;
  readonly repository: InMemoryCheckpointRepository;
  readonly snapshots: InMemorySnapshotStore;
  readonly guard: InMemoryPlanStateGuard;
  readonly service: CheckpointService;
  readonly log: InMemoryCorrectionLog;
  readonly corrections: CorrectionService;
  capture(more?: object): Promise<string>;
  files(): Record<string, string>;
}

export function inMemoryPlan(
  files: Readonly<Record<string, string>> = {},
  parts: Partial<CheckpointServiceParts> = {},
): InMemoryPlan {
  const tree = new InMemoryTree();
  for (const [path, content] of Object.entries(files)) tree.write(path, content);
  const trees = new Map([[ROOT, tree]]);
  const repository = new InMemoryCheckpointRepository();
  const snapshots = new InMemorySnapshotStore(trees);
  const guard = new InMemoryPlanStateGuard([[PLAN, { sandboxPath: ROOT }]]);
  const shared = { ids: new SeededIds(), clock: new FixedClock() };
  const service = new CheckpointService({ repository, snapshots, plans: guard, ...shared, ...parts });
  const log = new InMemoryCorrectionLog();
  const corrections = new CorrectionService({ checkpoints: service, corrections: log, ...shared });
  return {
    ...{ tree, trees, repository, snapshots, guard, service, log, corrections },
    capture: async (more = {}) =>
      (await service.captureCheckpoint({ planId: PLAN, ...more })).checkpoint.checkpointId,
    files: () => filesOf(tree),
  };
}

/** Files as text, links as `-> target`, directories as `mode/`. */
export function filesOf(tree: InMemoryTree): Record<string, string> {
  return Object.fromEntries(
    tree
      .entries()
      .map(([path, node]) => [
        path,
        node.kind === 'link'
          ? `-> ${node.target}`
          : node.kind === 'directory'
            ? `${node.mode.toString(8)}/`
            : new TextDecoder().decode(node.bytes),
      ]),
  );
}
