import type { Sandbox } from '@cleveragents/sandbox-ports';
import { sandboxContract, type SandboxSubject } from '@cleveragents/sandbox-ports/contract';
import { runContract } from '@cleveragents/shared-testing';
import { CopyBench, filesBelow } from './support/copy-bench.ts';

runContract(sandboxContract, {
  open: async (): Promise<SandboxSubject> => {
    const bench = new CopyBench();
    return {
      make: () => bench.make(),
      reopen: (sandbox: Sandbox) => bench.reopen(sandbox),
      project: filesBelow(bench.root),
      filesOf: (sandbox) => filesBelow(sandbox.context?.sandboxPath ?? '/nowhere'),
    };
  },
});
