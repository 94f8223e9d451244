import { comparePaths } from '@cleveragents/git-domain';
import type { OperationOptions, UncommittedChange } from '@cleveragents/git-ports';
import { placeOf, type WorktreeRepository } from './native-repository.ts';
import { nulRecords } from './nul-records.ts';
import { Deadline } from './shared-parts.ts';

type Kind = UncommittedChange['kind'];

const KINDS: Readonly<Record<string, Kind>> = { A: 'added', M: 'modified', T: 'modified', D: 'deleted' };
const ARGUMENTS = [
  'status',
  '--porcelain=v2',
  '-z',
  '--untracked-files=all',
  '--ignore-submodules=dirty',
  '--no-renames',
];

/** See `WorktreeHost.listUncommitted`. A path that is staged and changed again since stands there twice. */
export async function listUncommitted(
  { git, layout, timeoutMs }: WorktreeRepository,
  { signal }: OperationOptions = {},
): Promise<readonly UncommittedChange[]> {
  const deadline = new Deadline({ timeoutMs, signal });
  const output = await git.output({ place: placeOf(layout), args: ARGUMENTS, deadline });
  const changes = nulRecords(output).flatMap(parseRecord);
  return changes.sort((a, b) => comparePaths(a.path, b.path) || Number(b.staged) - Number(a.staged));
}

/** `1 XY sub mH mI mW hH hI path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`, `? path` */
function parseRecord(record: string): readonly UncommittedChange[] {
  const type = record[0];
  if (type === '?') return [{ path: record.slice(2).replace(/\/$/, ''), staged: false, kind: 'untracked' }];
  if (type === 'u') return [{ path: afterSpaces(record, 10), staged: false, kind: 'unmerged' }];
  if (type !== '1') return [];
  const path = afterSpaces(record, 8);
  const [, states = '..', submodule = 'N...'] = record.split(' ', 3);
  const [x = '.', y = '.'] = states;
  const staged = KINDS[x];
  const unstaged = submodule.startsWith('S') ? undefined : KINDS[y];
  return [
    ...(staged === undefined ? [] : [{ path, staged: true, kind: staged }]),
    ...(unstaged === undefined ? [] : [{ path, staged: false, kind: unstaged }]),
  ];
}

function afterSpaces(record: string, count: number): string {
  let at = 0;
  for (let seen = 0; seen < count; seen++) at = record.indexOf(' ', at) + 1;
  return record.slice(at);
}
