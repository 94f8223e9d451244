import type { FileToolsDriver } from '../driver.ts';
import { filesInMemory } from './memory.ts';
import { filesOnDisk, filesOnDiskUnpinned } from './disk.ts';

/** Every system that claims to have the file tools; each scenario is played on each of them. */
export const ALL_DRIVERS: readonly FileToolsDriver[] = [filesInMemory, filesOnDisk, filesOnDiskUnpinned];
