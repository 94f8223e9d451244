export { planRepositoryContract, type PlanRepositorySubject } from './plan-repository.contract.ts';
export { type ProjectFiles, sandboxContract, type SandboxSubject } from './sandbox.contract.ts';
