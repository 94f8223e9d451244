export { planRepositoryContract, type PlanRepositorySubject } from './plan-repository.contract.ts';
export { type ProjectFiles, sandboxContract, type SandboxSubject } from './sandbox.contract.ts';
export { sandboxFactoryContract, type SandboxFactorySubject } from './sandbox-factory.contract.ts';
