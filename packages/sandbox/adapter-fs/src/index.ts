export { FileCopySandbox, type FileCopySandboxOptions } from './file-copy-sandbox.ts';
export { FileCopySandboxFactory, type FileCopySandboxFactoryOptions } from './file-copy-sandbox-factory.ts';
export { FilePlanRepository, type FilePlanRepositoryOptions } from './file-plan-repository.ts';
