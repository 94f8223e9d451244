import type { FileChange } from '@cleveragents/git-ports';
import type { FileReport } from '@cleveragents/sandbox-domain';

const LINK = '120000';

/** A changed path in the words of a commit result: `mode` and `link` say what `modified` would hide. */
export function fileReport(change: FileChange): FileReport {
  return {
    path: change.path,
    kind: kindOf(change),
    renamedFrom: change.renamedFrom,
    binary: change.binary,
    insertions: change.insertions,
    deletions: change.deletions,
  };
}

function kindOf({ kind, before, after }: FileChange): FileReport['kind'] {
  if (kind !== 'modified' || before === null || after === null) return kind;
  if (before.mode === LINK || after.mode === LINK) return 'link';
  return before.id === after.id ? 'mode' : 'modified';
}
