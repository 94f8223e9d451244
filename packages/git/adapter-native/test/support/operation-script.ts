// One operation of a process of its own: node operation-script ROOT OPERATION JSON. Says how it ended on standard output.
import type { GitError, WorktreeHost } from '@cleveragents/git-ports';
import { native } from './both-engines.ts';

type Operations = Pick<WorktreeHost, 'addWorktree' | 'beginBranchUpdate' | 'removeWorktree'>;

export interface OperationRequests {
  readonly add: Parameters<Operations['addWorktree']>[0];
  readonly update: Parameters<Operations['beginBranchUpdate']>[0];
  readonly remove: Parameters<Operations['removeWorktree']>[0];
  readonly restore: {
    readonly path: string;
    readonly gitDirectory: string;
    readonly commit: OperationRequests['update']['to'];
    readonly branch: string;
  };
}

const OPERATIONS: {
  readonly [Name in keyof OperationRequests]: (
    host: WorktreeHost,
    request: OperationRequests[Name],
  ) => Promise<unknown>;
} = {
  add: (host, request) => host.addWorktree(request),
  update: async (host, request) => (await host.beginBranchUpdate(request)).apply(),
  remove: (host, request) => host.removeWorktree(request),
  restore: async (host, { path, gitDirectory, commit, branch }) =>
    (await host.openWorktree(path, gitDirectory)).restore(commit, branch),
};

const [root = '', name = '', request = ''] = process.argv.slice(2);
try {
  const host = await native().open(root);
  const operation = OPERATIONS[name as keyof OperationRequests] as (
    host: WorktreeHost,
    request: unknown,
  ) => Promise<unknown>;
  await operation(host, JSON.parse(request));
  process.stdout.write(JSON.stringify({ ok: true }));
} catch (error) {
  const { code = null, message, data } = error as Partial<GitError>;
  process.stdout.write(JSON.stringify({ ok: false, code, message, data }));
}
