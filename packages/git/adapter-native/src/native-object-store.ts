import {
  type Commit,
  decodeTree,
  encodeTree,
  GitFormatError,
  isObjectId,
  type ObjectId,
  parseObjectId,
  type TreeEntry,
} from '@cleveragents/git-domain';
import { GitError, type ObjectStore } from '@cleveragents/git-ports';
import { type Git, type GitPlace } from './git.ts';
import { ObjectReader } from './object-reader.ts';
import { Deadline, decodeCommit, encodeCommit } from './shared-parts.ts';

type ObjectType = 'blob' | 'tree' | 'commit';

export interface NativeObjectStoreOptions {
  readonly git: Git;
  readonly place: GitPlace;
  readonly timeoutMs: number;
  /** Commits are signed as `git commit` would sign them. */
  readonly signsCommits: boolean;
}

/** The objects that the installed git finds: packed, loose, in alternates, replaced, or fetched from a promisor. */
export class NativeObjectStore implements ObjectStore {
  readonly #options: NativeObjectStoreOptions;
  readonly #reader: ObjectReader;

  constructor(options: NativeObjectStoreOptions) {
    this.#options = options;
    this.#reader = new ObjectReader(options.git, options.place, options.timeoutMs);
  }

  async has(id: ObjectId): Promise<boolean> {
    return (await this.#reader.ask('info', id)) !== null;
  }

  async readTree(id: ObjectId): Promise<readonly TreeEntry[]> {
    const bytes = await this.#read(id, 'tree');
    try {
      return decodeTree(bytes, id.length / 2);
    } catch (error) {
      throw error instanceof GitFormatError ? corrupt(id, error.message, error) : error;
    }
  }

  readBlob(id: ObjectId): Promise<Buffer> {
    return this.#read(id, 'blob');
  }

  async readCommit(id: ObjectId): Promise<Commit> {
    const commit = decodeCommit(await this.#read(id, 'commit'));
    if (commit === null) throw corrupt(id, 'it is no commit');
    return commit;
  }

  writeBlob(bytes: Uint8Array): Promise<ObjectId> {
    return this.#write('blob', bytes);
  }

  writeTree(entries: readonly TreeEntry[]): Promise<ObjectId> {
    return Promise.resolve().then(() => this.#write('tree', encodeTree(entries)));
  }

  writeCommit(commit: Commit, { sign = true }: { readonly sign?: boolean } = {}): Promise<ObjectId> {
    return sign && this.#options.signsCommits
      ? this.#writeSigned(commit)
      : this.#write('commit', encodeCommit(commit));
  }

  async #writeSigned({ tree, parents, author, committer, message }: Commit): Promise<ObjectId> {
    const { git, place, timeoutMs } = this.#options;
    const when = ({ timestampSeconds, offsetMinutes }: Commit['author']): string =>
      `@${timestampSeconds.toString()} ${offset(offsetMinutes)}`;
    try {
      const id = await git.text({
        place,
        args: ['commit-tree', '-S', ...parents.flatMap((parent) => ['-p', parent]), '-F', '-', tree],
        input: message,
        environment: {
          GIT_AUTHOR_NAME: author.name,
          GIT_AUTHOR_EMAIL: author.email,
          GIT_AUTHOR_DATE: when(author),
          GIT_COMMITTER_NAME: committer.name,
          GIT_COMMITTER_EMAIL: committer.email,
          GIT_COMMITTER_DATE: when(committer),
        },
        deadline: new Deadline({ timeoutMs }),
      });
      return parseObjectId(id);
    } catch (error) {
      throw error instanceof GitError && error.code === 'GIT_FAILED' ? unsigned(error) : error;
    }
  }

  async #write(type: ObjectType, bytes: Uint8Array): Promise<ObjectId> {
    const { git, place, timeoutMs } = this.#options;
    const args = ['hash-object', '-w', '-t', type, '--stdin'];
    const id = await git.text({ place, args, input: bytes, deadline: new Deadline({ timeoutMs }) });
    return parseObjectId(id);
  }

  async #read(id: ObjectId, type: ObjectType): Promise<Buffer> {
    const object = await this.#reader.ask('contents', id);
    if (object === null || object.bytes === null) throw missing(id);
    if (object.type !== type) throw corrupt(id, `it is a ${object.type}, no ${type}`);
    return object.bytes;
  }
}

function offset(minutes: number): string {
  const size = Math.abs(minutes);
  const digits = (Math.floor(size / 60) * 100 + (size % 60)).toString().padStart(4, '0');
  return `${minutes < 0 ? '-' : '+'}${digits}`;
}

function missing(id: ObjectId): GitError {
  return new GitError('GIT_OBJECT_MISSING', `the object ${id} is not there`, {
    hint: isObjectId(id) ? 'Run `git fsck`; another clone may still have it.' : undefined,
    data: { id },
  });
}

function corrupt(id: ObjectId, what: string, cause?: unknown): GitError {
  return new GitError('GIT_CORRUPT', `the object ${id} is damaged: ${what}`, {
    hint: 'Run `git fsck`; another clone may still have it.',
    data: { id },
    cause,
  });
}

function unsigned(error: GitError): GitError {
  const stderr = String(error.data['stderr'] ?? '');
  const said = stderr === '' ? error.message : stderr.split('\n').slice(0, 3).join('; ');
  return new GitError('GIT_SIGNING_FAILED', `commit.gpgSign is on, and signing failed: ${said}`, {
    hint: 'See that `git commit -S` works here without a prompt, or turn it off: git config commit.gpgSign false',
    data: error.data,
    cause: error,
  });
}
