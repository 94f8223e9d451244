import type { Commit, ObjectId, TreeEntry } from '@cleveragents/git-domain';
import type { ObjectStore } from '@cleveragents/git-ports';
import type { Deadline } from './deadline.ts';

/** So many reads take some milliseconds. */
const READS_BETWEEN_BREATHS = 200;

/**
 * A store whose reads are synchronous, for long work that asks for one object after the other: now and then it lets timers
 * and signals have their turn, and ends the work when its time is up.
 */
export class PacedObjects implements ObjectStore {
  readonly #objects: ObjectStore;
  readonly #deadline: Deadline;
  #reads = 0;

  constructor(objects: ObjectStore, deadline: Deadline) {
    this.#objects = objects;
    this.#deadline = deadline;
  }

  async #pace(): Promise<void> {
    this.#reads += 1;
    if (this.#reads % READS_BETWEEN_BREATHS === 0) await this.#deadline.breathe();
  }

  async has(id: ObjectId): Promise<boolean> {
    await this.#pace();
    return this.#objects.has(id);
  }

  async readTree(id: ObjectId): Promise<readonly TreeEntry[]> {
    await this.#pace();
    return this.#objects.readTree(id);
  }

  async readBlob(id: ObjectId): Promise<Uint8Array> {
    await this.#pace();
    return this.#objects.readBlob(id);
  }

  async readCommit(id: ObjectId): Promise<Commit> {
    await this.#pace();
    return this.#objects.readCommit(id);
  }

  writeTree(entries: readonly TreeEntry[]): Promise<ObjectId> {
    return this.#objects.writeTree(entries);
  }

  writeBlob(bytes: Uint8Array): Promise<ObjectId> {
    return this.#objects.writeBlob(bytes);
  }

  writeCommit(commit: Commit): Promise<ObjectId> {
    return this.#objects.writeCommit(commit);
  }
}
