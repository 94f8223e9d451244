import 'reflect-metadata'; // before inversify, which asks for it when it is loaded
import { join } from 'node:path';
import { FileCheckpointRepository, FileCorrectionLog } from '@cleveragents/checkpoint-adapter-file';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import {
  type CheckpointService,
  CheckpointServiceToken,
  type CorrectionService,
  CorrectionServiceToken,
} from '@cleveragents/checkpoint-application';
import { checkpointModule } from '@cleveragents/checkpoint-application/container';
import {
  CheckpointRepositoryToken,
  CorrectionLogToken,
  PlanStateGuardToken,
  SnapshotStoreToken,
} from '@cleveragents/checkpoint-ports';
import { GitEngineToken } from '@cleveragents/git-ports';
import { FileCopySandboxFactory, FilePlanRepository } from '@cleveragents/sandbox-adapter-fs';
import {
  type EngineChoice,
  gitEngine,
  GitWorktreeSandboxFactory,
} from '@cleveragents/sandbox-adapter-git-worktree';
import {
  type DoctorService,
  DoctorServiceToken,
  type PlanLifecycleService,
  PlanLifecycleServiceToken,
} from '@cleveragents/sandbox-application';
import { sandboxModule } from '@cleveragents/sandbox-application/container';
import {
  HealthChecksToken,
  type PlanRepository,
  PlanRepositoryToken,
  SandboxFactoriesToken,
} from '@cleveragents/sandbox-ports';
import { SystemClock, UlidGenerator } from '@cleveragents/shared-adapter-fs';
import {
  type Clock,
  ClockToken,
  type IdGenerator,
  IdGeneratorToken,
  provide,
} from '@cleveragents/shared-kernel';
import { Container } from 'inversify';
import { CheckpointHealth } from './bridges/checkpoint-health.ts';
import { LockHealth } from './bridges/lock-health.ts';
import {
  CHANGE_SETS_FOLDER,
  findDamagedProject,
  findProject,
  PLANS_FOLDER,
  type Project,
} from './project.ts';
import { locateStateFolder, openStateFolder } from './state-folder.ts';

export interface CompositionOptions {
  readonly project: Project;
  readonly stateFolder: string;
  readonly gitTimeoutSeconds?: number | undefined;
  readonly engine?: EngineChoice | undefined;
  readonly storeBudgetBytes?: number | undefined;
}

/** Everything that the commands are made of, as a list. */
export function compose(options: CompositionOptions): Container {
  const { project, stateFolder, gitTimeoutSeconds, engine, storeBudgetBytes } = options;
  const container = new Container();
  const bind = container.bind.bind(container);
  const sandboxFolder = join(stateFolder, 'sandboxes');
  const dataFolder = (name: string): string => join(project.dataFolder, name);
  provide(bind, ClockToken, () => new SystemClock(), []);
  provide(bind, IdGeneratorToken, () => new UlidGenerator(), []);
  provide(bind, GitEngineToken, () => gitEngine(engine), []);
  provide(
    bind,
    PlanRepositoryToken,
    () => new FilePlanRepository({ directory: dataFolder(PLANS_FOLDER) }),
    [],
  );
  provide(
    bind,
    SandboxFactoriesToken,
    (engine, clock, ids) => [
      new GitWorktreeSandboxFactory({ engine, clock, ids, sandboxFolder, gitTimeout: gitTimeoutSeconds }),
      new FileCopySandboxFactory({
        clock,
        ids,
        sandboxFolder,
        stateFolder: join(stateFolder, 'file-copies'),
      }),
    ],
    [GitEngineToken, ClockToken, IdGeneratorToken],
  );
  container.load(sandboxModule);
  provide(
    bind,
    CheckpointRepositoryToken,
    () => new FileCheckpointRepository({ directory: dataFolder('checkpoints') }),
    [],
  );
  provide(
    bind,
    CorrectionLogToken,
    () => new FileCorrectionLog({ directory: dataFolder('corrections') }),
    [],
  );
  provide(
    bind,
    SnapshotStoreToken,
    (ids, clock) => new GitSnapshotStore({ path: dataFolder('checkpoints.git'), ids, clock }),
    [IdGeneratorToken, ClockToken],
  );
  provide(bind, PlanStateGuardToken, (plans) => plans, [PlanLifecycleServiceToken]);
  container.load(checkpointModule);
  provide(
    bind,
    HealthChecksToken,
    (clock, plans, checkpoints) => [
      new LockHealth(
        ['', 'checkpoints', 'corrections', CHANGE_SETS_FOLDER].map((name) => dataFolder(name)),
        clock,
      ),
      new CheckpointHealth({
        records: new FileCheckpointRepository({ directory: dataFolder('checkpoints') }),
        store: new GitSnapshotStore({ path: dataFolder('checkpoints.git'), clock }),
        service: { plans, checkpoints, clock },
        budgetBytes: storeBudgetBytes,
      }),
    ],
    [ClockToken, PlanLifecycleServiceToken, CheckpointServiceToken],
  );
  return container;
}

/** What a command works with. */
export interface Workbench {
  readonly project: Project;
  readonly plans: PlanLifecycleService;
  readonly records: PlanRepository;
  readonly checkpoints: CheckpointService;
  readonly corrections: CorrectionService;
  readonly ids: IdGenerator;
  readonly clock: Clock;
}

/** What every command is told of where and how it works. */
export interface WorkbenchOptions {
  readonly project: string;
  readonly timeout?: number;
  readonly engine?: EngineChoice;
}

export async function openWorkbench(options: WorkbenchOptions): Promise<Workbench> {
  const stateFolder = openStateFolder();
  const project = await findProject(options.project, stateFolder);
  const { timeout: gitTimeoutSeconds, engine } = options;
  const container = compose({ project, stateFolder, gitTimeoutSeconds, engine });
  return {
    project,
    plans: container.get<PlanLifecycleService>(PlanLifecycleServiceToken),
    records: container.get<PlanRepository>(PlanRepositoryToken),
    checkpoints: container.get<CheckpointService>(CheckpointServiceToken),
    corrections: container.get<CorrectionService>(CorrectionServiceToken),
    ids: container.get<IdGenerator>(IdGeneratorToken),
    clock: container.get<Clock>(ClockToken),
  };
}

/** The doctor, who makes no folder, and finds a project also where the settings of its repository are damaged. */
export async function openDoctor(
  options: WorkbenchOptions & { readonly storeBudgetBytes: number },
): Promise<{ readonly project: Project; readonly doctor: DoctorService }> {
  const stateFolder = locateStateFolder();
  const project = await findDamagedProject(options.project, stateFolder);
  const { timeout: gitTimeoutSeconds, engine, storeBudgetBytes } = options;
  const container = compose({ project, stateFolder, gitTimeoutSeconds, engine, storeBudgetBytes });
  return { project, doctor: container.get<DoctorService>(DoctorServiceToken) };
}
