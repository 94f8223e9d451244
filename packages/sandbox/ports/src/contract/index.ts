export { planRepositoryContract, type PlanRepositorySubject } from './plan-repository.contract.ts';
