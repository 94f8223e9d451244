import type { Commit, CommitReader, ObjectId } from '@cleveragents/git-domain';

export interface CommitRange {
  /** Its history is left out. */
  readonly from: ObjectId;
  readonly to: ObjectId;
  readonly limit: number;
}

export interface ListedCommit {
  readonly id: ObjectId;
  readonly commit: Commit;
}

/** See `WorktreeHost.listCommits`. */
export async function listCommits(
  commits: CommitReader,
  { from, to, limit }: CommitRange,
): Promise<readonly ListedCommit[]> {
  const walk = new Walk(commits);
  await walk.reach(to, false);
  await walk.reach(from, true);
  await walk.run();
  return walk.found().slice(0, limit);
}

/** Goes down from both ends, newest commit first, and marks what is in the history that is left out. */
class Walk {
  readonly #commits: CommitReader;
  readonly #excluded = new Map<ObjectId, boolean>();
  readonly #read = new Map<ObjectId, Commit>();
  /** Oldest first: the next one is the last. */
  readonly #queue: ListedCommit[] = [];
  readonly #listed: ListedCommit[] = [];

  constructor(commits: CommitReader) {
    this.#commits = commits;
  }

  async reach(id: ObjectId, excluded: boolean): Promise<void> {
    const known = this.#excluded.get(id);
    if (known === true || known === excluded) return;
    this.#excluded.set(id, excluded);
    const commit = this.#read.get(id) ?? (await this.#commits.readCommit(id));
    this.#read.set(id, commit);
    const time = timeOf(commit);
    this.#queue.splice(this.#insertionPoint(time), 0, { id, commit });
  }

  /** Before those of the same time: what was reached first comes first. */
  #insertionPoint(time: number): number {
    let low = 0;
    let high = this.#queue.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (timeOf((this.#queue[middle] as ListedCommit).commit) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  async run(): Promise<void> {
    while (this.#goesOn()) {
      const next = this.#queue.pop() as ListedCommit;
      const excluded = this.#excluded.get(next.id) === true;
      if (!excluded) this.#listed.push(next);
      for (const parent of next.commit.parents) await this.reach(parent, excluded);
    }
  }

  /** Also while what is left out may still lead to a commit that was listed because some clock was wrong. */
  #goesOn(): boolean {
    if (this.#queue.some(({ id }) => this.#excluded.get(id) !== true)) return true;
    const newest = this.#queue.at(-1);
    const oldestListed = this.#listed.at(-1);
    return (
      newest !== undefined &&
      oldestListed !== undefined &&
      timeOf(newest.commit) >= timeOf(oldestListed.commit)
    );
  }

  found(): readonly ListedCommit[] {
    return this.#listed.filter(({ id }) => this.#excluded.get(id) !== true);
  }
}

function timeOf(commit: Commit): number {
  return commit.committer.timestampSeconds;
}
