export { FixedClock, SteppingClock } from './clocks.ts';
export { hermeticGitEnvironment, runGit, type GitRun } from './hermetic-git.ts';
export { DiskRootedWorld } from './disk-rooted-world.ts';
export { InMemoryRootedFileSystem } from './in-memory-rooted-file-system.ts';
export { InMemoryRootedWorld } from './in-memory-rooted-world.ts';
export { directory, type Directory, type MemoryFile, type Node } from './in-memory-tree.ts';
export { ODD_REPOSITORIES, type OddRepository } from './odd-repositories.ts';
export { runContract, type ContractRunner, type ContractSubject } from './run-contract.ts';
export { SeededIds } from './seeded-ids.ts';
export { expectUnchanged, snapshot, type Snapshot, type SnapshotOptions } from './snapshot.ts';
export { temporaryDirectory, type TemporaryDirectory } from './temporary-directory.ts';
export {
  createRepository,
  TemporaryRepository,
  type Files,
  type RepositorySetup,
  type StatusEntry,
  type WorktreeEntry,
} from './temporary-repository.ts';
export { bundleScript } from './bundle-script.ts';
export { type EditorSave, startEditor, startWriter } from './busy-processes.ts';
export {
  forEachFaultPoint,
  type FaultCampaign,
  type FaultCode,
  type FaultKind,
  type FaultPoint,
  type FaultReport,
} from './fault-points.ts';
export { runWithFault, type FaultCall, type FaultOutcome, type FaultScene } from './fault-run.ts';
export { InMemoryProjects, InMemorySandbox, InMemorySandboxFactory } from './in-memory-sandbox.ts';
export { Lane, Lanes, strikeLanes, type LaneCampaign, type Strike, type StrikeOptions } from './lanes.ts';
export {
  callSandbox,
  failureOf,
  FLOW_CLOCK,
  FLOW_PLAN_ID,
  playFlow,
  type FlowFailure,
  type FlowReport,
  type SandboxFlow,
} from './sandbox-flow.ts';
export { ScriptProcess } from './script-process.ts';
export { TORTURE_SAMPLE } from './torture-sample.ts';
