import { execFileSync } from 'node:child_process';
import { appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FileCheckpointRepository } from '@cleveragents/checkpoint-adapter-file';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { CheckpointService } from '@cleveragents/checkpoint-application';
import { randomNumbers } from './random.ts';
import type { RepositoryName } from './repositories.ts';
import type { BenchContext } from './row.ts';

export const PLAN = 'bench';
/** Editors and agents change sources, not data. */
const MOST_EDITED_BYTES = 50_000;
const EDIT_SEED = 2;

/** A checkout of its own, so that nothing that is measured in it reaches the others. */
export class Checkout {
  readonly root: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #random = randomNumbers(EDIT_SEED);
  readonly #editable: readonly string[];
  #edits = 0;

  constructor(context: BenchContext, name: RepositoryName) {
    this.root = join(context.folder('checkout'), name);
    this.#environment = context.environment;
    execFileSync('git', ['clone', '--quiet', '--local', context.repository(name), this.root], {
      env: context.environment,
    });
    this.git('config', 'gc.auto', '0');
    this.git('status');
    this.#editable = this.git('ls-files', '-z')
      .split('\0')
      .filter((path) => path !== '' && statSync(join(this.root, path)).size < MOST_EDITED_BYTES);
  }

  git(...args: readonly string[]): string {
    return execFileSync('git', args, {
      cwd: this.root,
      env: this.#environment,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    }).trim();
  }

  anyFile(): string {
    return this.#editable[0] ?? '';
  }

  /** Appends a line to that many files, somewhere in the tree. */
  edit(count: number): readonly string[] {
    const paths = new Set<string>();
    while (paths.size < count)
      paths.add(this.#editable[Math.floor(this.#random() * this.#editable.length)] ?? '');
    for (const path of paths) appendFileSync(join(this.root, path), `// edit ${this.#edits++}\n`);
    return [...paths];
  }
}

/** What a script does: an index of its own beside the user's, which stays warm. */
export class ShadowIndex {
  readonly checkout: Checkout;
  readonly environment: Readonly<Record<string, string>>;

  constructor(context: BenchContext, checkout: Checkout) {
    this.checkout = checkout;
    this.environment = {
      ...context.environment,
      GIT_INDEX_FILE: join(checkout.root, '.git', 'shadow-index'),
    };
    this.git('read-tree', 'HEAD');
    this.addAll();
  }

  /** Returns the tree. */
  addAll(): string {
    this.git('add', '--all');
    return this.git('write-tree');
  }

  git(...args: readonly string[]): string {
    return execFileSync('git', args, {
      cwd: this.checkout.root,
      env: this.environment,
      encoding: 'utf8',
    }).trim();
  }
}

export interface Checkpoints {
  readonly checkout: Checkout;
  readonly service: CheckpointService;
  readonly snapshots: GitSnapshotStore;
  /** Where all of it lies. */
  readonly folder: string;
}

/** Everything that a checkpoint is to a user: the snapshot, its record on disk, retention. */
export function checkpointsOf(checkout: Checkout): Checkpoints {
  // As the command line has it: in the repository, from which it may borrow.
  const folder = join(checkout.root, '.git', 'cleveragents');
  const snapshots = new GitSnapshotStore({ path: join(folder, 'checkpoints.git') });
  const repository = new FileCheckpointRepository({ directory: join(folder, 'checkpoints') });
  const service = new CheckpointService({ repository, snapshots });
  service.registerSandbox(PLAN, checkout.root);
  return { checkout, service, snapshots, folder };
}
