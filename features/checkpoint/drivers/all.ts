import type { CheckpointDriver } from '../driver.ts';
import { ComposedDriver } from './composed-driver.ts';
import { SandboxesOnDisk } from './disk.ts';
import { RecordsInFiles } from './files.ts';
import { RecordsInMemory, SandboxesInMemory } from './memory.ts';

/** Every system that claims to keep checkpoints; each scenario is played on each of them. */
export function openAllDrivers(): readonly CheckpointDriver[] {
  return [
    new ComposedDriver('memory', new RecordsInMemory(), new SandboxesInMemory()),
    new ComposedDriver('files', new RecordsInFiles(), new SandboxesInMemory()),
    new ComposedDriver('files and git snapshots', new RecordsInFiles(), new SandboxesOnDisk()),
  ];
}
