export {
  FileCheckpointRepository,
  type FileCheckpointRepositoryOptions,
} from './file-checkpoint-repository.ts';
export { FileCorrectionLog } from './file-correction-log.ts';
export type { CorruptRecord } from './plan-folder.ts';
