export { FilePlanRepository, type FilePlanRepositoryOptions } from './file-plan-repository.ts';
