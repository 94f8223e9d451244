export {
  type ChangeSetStoreCapability,
  changeSetStoreContract,
  type ChangeSetStoreSubject,
} from './change-set-store-contract.ts';
export { textSearcherContract, type TextSearcherSubject } from './text-searcher-contract.ts';
