import { sandboxContract } from '@cleveragents/sandbox-ports/contract';
import { runContract } from '@cleveragents/shared-testing';
import { openSubject } from './support/contract-subject.ts';

runContract(sandboxContract, { open: () => openSubject('isomorphic') });
