// Checkpoints without a disk and without git: capture, change, rehearse, roll back, and back again.
import {
  InMemoryCheckpointRepository,
  InMemorySnapshotStore,
  InMemoryTree,
} from '@cleveragents/checkpoint-adapter-memory';
import { CheckpointService } from '@cleveragents/checkpoint-application';

const sandbox = new InMemoryTree();
sandbox.write('parser.ts', 'export const parse = JSON.parse;\n');

const service = new CheckpointService({
  repository: new InMemoryCheckpointRepository(),
  snapshots: new InMemorySnapshotStore(new Map([['/sandbox', sandbox]])),
});
service.registerSandbox('fix the parser', '/sandbox');

const { checkpoint } = await service.captureCheckpoint({
  planId: 'fix the parser',
  checkpointType: 'pre_tool',
  reason: 'before the agent starts',
});

sandbox.write('parser.ts', 'export const parse = eval;\n');
sandbox.write('notes.txt', 'eval is faster\n');

const rehearsal = await service.rollbackToCheckpoint('fix the parser', checkpoint.checkpointId, {
  dryRun: true,
});
console.log('would restore', rehearsal.restoredFiles); // [ 'notes.txt', 'parser.ts' ]

const result = await service.rollbackToCheckpoint('fix the parser', checkpoint.checkpointId, {
  expectedFingerprint: rehearsal.plan?.fingerprint,
});
console.log('restored', result.restoredFiles);

// A rollback can be rolled back: the safety checkpoint holds what was there before it.
if (result.safetyCheckpointId !== null)
  await service.rollbackToCheckpoint('fix the parser', result.safetyCheckpointId);
console.log('checkpoints', (await service.listCheckpoints('fix the parser')).length); // 3
