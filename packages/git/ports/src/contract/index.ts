export type { GitWorld, WorktreeHostSubject } from './git-world.ts';
export {
  objectStoreContract,
  type ObjectStoreCapability,
  type ObjectStoreSubject,
} from './object-store.contract.ts';
export { worktreeHostContract } from './worktree-host.contract.ts';
