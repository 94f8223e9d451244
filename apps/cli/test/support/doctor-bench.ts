import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CheckpointService } from '@cleveragents/checkpoint-application';
import { CheckpointServiceToken } from '@cleveragents/checkpoint-application';
import {
  type DoctorService,
  DoctorServiceToken,
  type PlanLifecycleService,
  PlanLifecycleServiceToken,
} from '@cleveragents/sandbox-application';
import type { PlanRecord } from '@cleveragents/sandbox-domain';
import { parsePlanId, planKey } from '@cleveragents/shared-kernel';
import { processMark } from '@cleveragents/shared-adapter-fs';
import {
  createRepository,
  runGit,
  snapshot,
  type Snapshot,
  temporaryDirectory,
} from '@cleveragents/shared-testing';
import { compose } from '../../src/composition-root.ts';
import { findDamagedProject, type Project } from '../../src/project.ts';

/** Greater than any process number that Linux gives out. */
const DEAD_PID = 999_999_999;

export interface BenchOptions {
  readonly engine?: 'isomorphic' | 'native';
  readonly storeBudgetBytes?: number;
}

/** A project with its state folder, all in temporary folders, and hands that damage it. */
export class DoctorBench {
  readonly root: string;
  readonly stateFolder: string;
  readonly #options: BenchOptions;
  #project: Project | null = null;

  private constructor(root: string, stateFolder: string, options: BenchOptions) {
    this.root = root;
    this.stateFolder = stateFolder;
    this.#options = options;
  }

  static async repository(options: BenchOptions = {}): Promise<DoctorBench> {
    const { root } = await createRepository({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    return new DoctorBench(root, temporaryDirectory().path, options);
  }

  static folder(options: BenchOptions = {}): DoctorBench {
    const root = temporaryDirectory().path;
    writeFileSync(join(root, 'a.txt'), 'a\n');
    return new DoctorBench(root, temporaryDirectory().path, options);
  }

  get project(): Project {
    if (this.#project === null) throw new Error('open() comes first');
    return this.#project;
  }

  get common(): string {
    return join(this.root, '.git');
  }

  get plansFolder(): string {
    return join(this.project.dataFolder, 'plans');
  }

  /** Everything anew, as another process would have it. */
  async open(): Promise<{
    readonly doctor: DoctorService;
    readonly plans: PlanLifecycleService;
    readonly checkpoints: CheckpointService;
  }> {
    this.#project = await findDamagedProject(this.root, this.stateFolder);
    const { stateFolder, project } = this;
    const container = compose({ ...this.#options, stateFolder, project });
    return {
      doctor: container.get<DoctorService>(DoctorServiceToken),
      plans: container.get<PlanLifecycleService>(PlanLifecycleServiceToken),
      checkpoints: container.get<CheckpointService>(CheckpointServiceToken),
    };
  }

  /** A plan with work in its sandbox: `work.txt`. */
  async plan(
    planId = 'x',
    files: Readonly<Record<string, string>> = { 'work.txt': 'work\n' },
  ): Promise<PlanRecord> {
    const { plans } = await this.open();
    await plans.create({ planId, resource: this.project.resource });
    await plans.execute(planId, {
      label: 'work',
      run: async ({ path }) => {
        for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
      },
    });
    return plans.show(planId);
  }

  /** Paths that the plan changes, as a later process sees them. */
  async changedPaths(planId = 'x'): Promise<readonly string[]> {
    const { plans } = await this.open();
    return (await plans.changes(planId)).files.map(({ path }) => path);
  }

  git(...args: readonly string[]): Promise<string> {
    return runGit(args, { cwd: this.root }).then((output) => output.toString().trimEnd());
  }

  /** Rewrites the stored record of a plan. */
  rewriteRecord(planId: string, change: (record: PlanRecord) => unknown): void {
    const file = this.recordFile(planId);
    writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')) as PlanRecord)));
  }

  recordFile(planId = 'x'): string {
    return join(this.plansFolder, `${planKey(parsePlanId(planId))}.json`);
  }

  /** The picture of everything that the doctor could write to. */
  async pictures(): Promise<readonly Snapshot[]> {
    return [await snapshot(this.root, { times: true }), await snapshot(this.stateFolder, { times: true })];
  }
}

export function sandboxOf({ sandbox }: PlanRecord): { readonly path: string; readonly gitDirectory: string } {
  if (sandbox.status === 'pending' || sandbox.context === null) throw new Error('the plan has no sandbox');
  const { sandboxPath: path, metadata } = sandbox.context;
  return { path, gitDirectory: String(metadata['gitDirectory']) };
}

/** The mark of a process of this machine that is dead. */
export function deadMark(): string {
  return processMark().replace(/^p\d+/, `p${DEAD_PID}`);
}

/** A lock folder of ours that its holder left when it died. */
export function leaveLockFolder(path: string): void {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, deadMark()), JSON.stringify({ owner: 'test', since: '2026-01-01T00:00:00.000Z' }));
}

/** A lock of git's that a process of ours left when it died. */
export function leaveGitLock(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `cleveragents ${deadMark()}\n`);
}

/** Makes every entry of a journal one of a process that is dead. */
export function killJournal(directory: string): void {
  for (const name of readdirSync(directory)) {
    const file = join(directory, name, 'intent.json');
    if (!existsSync(file)) continue;
    const intent = JSON.parse(readFileSync(file, 'utf8')) as { owner: { pid: number } };
    intent.owner.pid = DEAD_PID;
    writeFileSync(file, JSON.stringify(intent));
  }
}

export function remove(path: string): void {
  rmSync(path, { recursive: true });
}
