import type { Contract } from '../contract.ts';
import { attacksByLinks } from './attacks-by-links.ts';
import { attacksBySpelling } from './attacks-by-spelling.ts';
import { fileBehaviour } from './file-behaviour.ts';
import type { RootedCapability, RootedWorld } from './rooted-world.ts';

/** What every `RootedFileSystem` does, and what it withstands. */
export const rootedFileSystemContract: Contract<RootedWorld, RootedCapability> = {
  name: 'RootedFileSystem',
  cases: [...attacksBySpelling, ...attacksByLinks, ...fileBehaviour],
};
