export { rootedFileSystemContract } from './rooted-file-system-contract.ts';
export type { RootedCapability, RootedWorld } from './rooted-world.ts';
