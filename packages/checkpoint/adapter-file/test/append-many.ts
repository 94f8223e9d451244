import { FileCheckpointRepository } from '@cleveragents/checkpoint-adapter-file';
import { checkpointDraft, retentionPolicy } from '@cleveragents/checkpoint-domain';
import { UlidGenerator } from '@cleveragents/shared-adapter-fs';

const [directory = '', planId = '', count = '0'] = process.argv.slice(2);
const repository = new FileCheckpointRepository({ directory });
const ids = new UlidGenerator();
const appended = [];
for (let number = 0; number < Number(count); number++) {
  const draft = checkpointDraft(
    { planId, sandboxRef: 'ref' },
    { checkpointId: ids.next(), createdAt: new Date() },
  );
  const { checkpoint, pruned } = await repository.append(draft, retentionPolicy({ maxCheckpoints: 12 }));
  appended.push({
    sequence: checkpoint.sequence,
    id: checkpoint.checkpointId,
    pruned: pruned.map(({ checkpointId }) => checkpointId),
  });
}
console.log(JSON.stringify(appended));
