export { FixedClock, SteppingClock } from './clocks.ts';
export { hermeticGitEnvironment, runGit, type GitRun } from './hermetic-git.ts';
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
