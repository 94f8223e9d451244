import type { Contract } from '@cleveragents/shared-kernel';
import { branchUpdateCases } from './branch-update.cases.ts';
import { examinationCases } from './examination.cases.ts';
import type { WorktreeHostSubject } from './git-world.ts';
import { historyCases } from './history.cases.ts';
import { refCases } from './ref.cases.ts';
import { worktreeCases } from './worktree.cases.ts';

/** What every engine's host does, judged by real git. */
export const worktreeHostContract: Contract<WorktreeHostSubject> = {
  name: 'WorktreeHost',
  cases: [...refCases, ...historyCases, ...worktreeCases, ...branchUpdateCases, ...examinationCases],
};
