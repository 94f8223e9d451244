import {
  InMemoryCheckpointRepository,
  InMemoryCorrectionLog,
  InMemorySnapshotStore,
  InMemoryTree,
} from '@cleveragents/checkpoint-adapter-memory';
import { parsePlanId, parseRelativePath } from '@cleveragents/shared-kernel';
import type { SandboxFiles } from '../driver.ts';
import type { Records, Sandboxes } from './composed-driver.ts';

export class RecordsInMemory implements Records {
  readonly audit = new InMemoryCorrectionLog();
  repository = new InMemoryCheckpointRepository();

  async addEntryWithoutCheckpoint(planId: string): Promise<void> {
    const records = await this.repository.listByPlan(parsePlanId(planId));
    const ids = records.map(({ checkpointId }) => checkpointId);
    this.repository = new InMemoryCheckpointRepository({ records, index: [[planId, [...ids, 'orphan']]] });
  }

  async loseEntries(planId: string): Promise<void> {
    const records = await this.repository.listByPlan(parsePlanId(planId));
    this.repository = new InMemoryCheckpointRepository({ records, index: [] });
  }

  async close(): Promise<void> {}
}

export class SandboxesInMemory implements Sandboxes {
  readonly #trees = new Map<string, InMemoryTree>();
  readonly snapshots = new InMemorySnapshotStore(this.#trees);

  async make(): Promise<SandboxFiles> {
    const root = `/sandbox-${this.#trees.size}`;
    const tree = new InMemoryTree();
    this.#trees.set(root, tree);
    return {
      root,
      write: async (path, content) => tree.write(path, content),
      read: async (path) => {
        const node = tree.get(parseRelativePath(path));
        return node?.kind === 'file' ? new TextDecoder().decode(node.bytes) : null;
      },
      ignore: async (paths) => tree.ignore(paths),
      empty: async () => {
        for (const [path] of tree.entries()) tree.remove(path);
      },
    };
  }

  async close(): Promise<void> {}
}
