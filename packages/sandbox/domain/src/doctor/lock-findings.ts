import type { DoctorFacts, LockTrace, OperationTrace } from './facts.ts';
import { byDoctor, byYou, type Finding } from './finding.ts';

/** A git command takes seconds: a lock of its that is older was left behind, as good as anybody can tell. */
const LONG_MS = 10 * 60 * 1000;

/** Operations whose process is dead, or out of sight. */
export function findUnfinishedOperations({ sandboxes }: DoctorFacts): readonly Finding[] {
  const cut = sandboxes.operations.flatMap((operation) =>
    operation.process === 'alive' ? [] : [unfinished(operation)],
  );
  return sandboxes.damage === null ? cut : [...cut, damagedJournal(sandboxes.damage)];
}

function unfinished({ operation, subject, startedAt, process }: OperationTrace): Finding {
  const common = { kind: 'unfinished-operation', subject, planId: null } as const;
  if (process === 'unknown')
    return {
      ...common,
      severity: 'note',
      problem: `An operation (${operation}) was begun at ${startedAt} on another machine or in another container.`,
      meaning: 'Nobody here can tell whether it still runs: it is left alone.',
      repair: byYou('Run the doctor where it was begun, if nothing runs there any more.'),
    };
  return {
    ...common,
    severity: 'problem',
    problem: `An operation (${operation}) was cut short: it was begun at ${startedAt}, and its process is dead.`,
    meaning: 'The project may be halfway between two states until it is finished or undone.',
    repair: byDoctor('Finishes it, or undoes it where it had not come far.', { step: 'recover' }),
  };
}

function damagedJournal(damage: string): Finding {
  return {
    kind: 'damaged-journal',
    subject: 'journal',
    planId: null,
    severity: 'problem',
    problem: `The journal of operations cannot be read: ${damage}`,
    meaning:
      'Commands that change something refuse to work. Files that were set aside may lie in its folder.',
    repair: byYou('Compare the files in that folder with the project, then move it away.'),
  };
}

/** Locks that nobody holds any more, or nobody that we know. */
export function findStaleLocks({ planLocks, sandboxes, now }: DoctorFacts): readonly Finding[] {
  return lockFindings([...planLocks, ...sandboxes.locks], now);
}

/** The same of any locks. */
export function lockFindings(locks: readonly LockTrace[], now: Date): readonly Finding[] {
  return locks.flatMap((lock) => {
    if (lock.holder === 'alive') return [];
    return [lock.holder === 'dead' ? stale(lock) : notOurs(lock, now)];
  });
}

function stale({ path, pid, since, kind }: LockTrace): Finding {
  const isGit = kind === 'git-file';
  return {
    kind: 'stale-lock',
    subject: path,
    planId: null,
    severity: 'problem',
    problem: `Process ${String(pid)} of cleveragents left this lock when it died; it had it since ${since}.`,
    meaning: isGit
      ? 'git refuses to change what it protects.'
      : 'Nobody has to wait for it: the next command takes it over.',
    repair: isGit
      ? byDoctor('Removes it, after what it protected is set right.', { step: 'recover' })
      : byDoctor('Frees it.', { step: 'free-lock', path }),
  };
}

function notOurs({ path, holder, since }: LockTrace, now: Date): Finding {
  const isOld = now.getTime() - Date.parse(since) > LONG_MS;
  const who =
    holder === 'foreign'
      ? 'Git, or another program, made this lock'
      : 'A process on another machine or in another container made this lock';
  return {
    kind: holder === 'foreign' ? 'foreign-lock' : 'unknown-lock',
    subject: path,
    planId: null,
    severity: isOld ? 'problem' : 'note',
    problem: `${who} at ${since}.`,
    meaning: isOld
      ? 'It is old enough to be left behind, but nothing proves that its owner is dead: it is left alone.'
      : 'Somebody is at work, by the look of it.',
    repair: byYou(
      'Remove it when you are sure that nothing runs that made it.',
      ...(holder === 'foreign' ? ['rm', path] : ['rm', '-r', path]),
    ),
  };
}
