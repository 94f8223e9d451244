import { rootedFileSystemContract } from '@cleveragents/shared-kernel/contract';
import { InMemoryRootedWorld, runContract } from '@cleveragents/shared-testing';

runContract(rootedFileSystemContract, {
  open: () => new InMemoryRootedWorld(),
  capabilities: { hardLinks: true, fifos: true, posixNames: true },
});
