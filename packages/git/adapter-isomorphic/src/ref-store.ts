import { unlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { comparePaths, type ObjectId } from '@cleveragents/git-domain';
import { GitError, type Head, type Ref, type RefUpdate } from '@cleveragents/git-ports';
import { writeFileAtomically } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import type { Environment } from './environment.ts';
import { fileSystemError, namesIn } from './file-access.ts';
import type { GitConfig } from './git-config.ts';
import { readReflogIdentity } from './identity.ts';
import { acquireLockFile, type LockFile, type LockOptions } from './lock-file.ts';
import { PackedRefs } from './packed-refs.ts';
import { readRefFile, refFilesBelow, removeEmptyFolders, removeEmptyParents } from './ref-files.ts';
import { parentNames, requireRefName } from './ref-names.ts';
import { appendReflog, startsReflog } from './reflog.ts';
import { gitPath, type RepositoryLayout } from './repository-layout.ts';

export interface RefStoreOptions {
  readonly layout: RepositoryLayout;
  readonly config: GitConfig;
  readonly environment?: Environment | undefined;
}

export interface LoggedRefUpdate extends RefUpdate {
  /** Git folders of work trees whose HEAD reflog gets the line too. Default: every work tree that is on the branch. */
  readonly headLogs?: readonly string[] | undefined;
}

/** A ref whose lock is held and whose value was checked. One of the two methods is called, once. */
export interface PreparedRefUpdate {
  /** Path of the lock, for journals. */
  readonly lockPath: string;
  /** Writes the reflogs and moves the ref. */
  commit(): Promise<void>;
  abort(): Promise<void>;
}

const DEEPEST_LINK = 5;
/** Folders of refs that each work tree has to itself. */
const PRIVATE_FOLDERS = ['refs/bisect', 'refs/rewritten', 'refs/worktree'];

/** The refs of one repository, kept as git keeps them, under git's own locks. */
export class RefStore {
  readonly #layout: RepositoryLayout;
  readonly #config: GitConfig;
  readonly #environment: Environment;

  constructor({ layout, config, environment = process.env }: RefStoreOptions) {
    this.#layout = layout;
    this.#config = config;
    this.#environment = environment;
  }

  /** Follows symbolic refs. `HEAD` is that of the layout's work tree. Null when there is no such ref. */
  async read(name: string): Promise<ObjectId | null> {
    requireRefName(name);
    return this.#resolve(name).id;
  }

  async readHead(gitDirectory: string): Promise<Head> {
    const value = readRefFile(join(gitDirectory, 'HEAD'));
    if (value?.kind === 'symbolic') return { branch: value.target, commit: this.#resolve(value.target).id };
    return { branch: null, commit: value?.id ?? null };
  }

  /** By name, bytewise. @param prefix of whole components; `''` is every ref below `refs/`. */
  async list(prefix: string): Promise<readonly Ref[]> {
    const top = prefix.replace(/\/+$/, '') || 'refs';
    requireRefName(top === 'refs' ? 'refs/x' : `${top}/x`);
    // files first: a ref that is packed meanwhile is then found where it went
    const names = new Set([top, ...this.#namesOfFiles(top)]);
    const packed = new Map(PackedRefs.read(this.#layout.commonDirectory).entries(`${top}/`));
    const found = [...names].flatMap((name) => {
      const target = this.#resolve(name).id;
      return target === null ? [] : [{ name, target }];
    });
    for (const [name, target] of packed) if (!names.has(name)) found.push({ name, target });
    return found.sort((a, b) => comparePaths(a.name, b.name));
  }

  #namesOfFiles(top: string): readonly string[] {
    const { commonDirectory, gitDirectory } = this.#layout;
    const shared = refFilesBelow(commonDirectory, top);
    if (commonDirectory === gitDirectory) return shared;
    const isPrivate = (name: string): boolean =>
      PRIVATE_FOLDERS.some((folder) => name.startsWith(`${folder}/`));
    return [
      ...shared.filter((name) => !isPrivate(name)),
      ...refFilesBelow(gitDirectory, top).filter(isPrivate),
    ];
  }

  /** @throws GitError `GIT_REF_MOVED`, `GIT_REF_EXISTS`, `GIT_REF_BLOCKED`, `GIT_LOCKED`. */
  async update(update: LoggedRefUpdate, options: LockOptions = {}): Promise<void> {
    await (await this.prepare(update, options)).commit();
  }

  /** Takes the ref's lock, compares, and holds it. Throws as `update` does. */
  async prepare(update: LoggedRefUpdate, options: LockOptions = {}): Promise<PreparedRefUpdate> {
    requireRefName(update.name);
    const { name } = this.#resolve(update.name);
    const lock = await this.#lock(name, options);
    try {
      const actual = this.#resolve(name).id;
      if (actual !== update.expected) throw refMoved(update, actual);
      if (actual === null) this.#requireFreePlace(name);
      if (actual !== update.target) await lock.write(Buffer.from(`${update.target}\n`));
    } catch (error) {
      await lock.release();
      throw error;
    }
    return {
      lockPath: lock.path,
      commit: () => this.#commit(lock, name, update),
      abort: () => lock.release(),
    };
  }

  async #commit(lock: LockFile, name: string, update: LoggedRefUpdate): Promise<void> {
    try {
      if (update.expected !== update.target) {
        this.#log(name, update);
        removeEmptyFolders(lock.file);
      }
      await lock.commit();
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  async #lock(name: string, options: LockOptions): Promise<LockFile> {
    try {
      return await acquireLockFile(this.#path(name), options);
    } catch (error) {
      // a parent that should be a folder is a file: another ref
      const blocker = hasCode(error, 'GIT_FILE_SYSTEM') ? this.#findBlocker(name) : null;
      throw blocker === null ? error : refBlocked(name, blocker);
    }
  }

  #requireFreePlace(name: string): void {
    const blocker = this.#findBlocker(name);
    if (blocker !== null) throw refBlocked(name, blocker);
  }

  /** A ref that needs as a folder what `name` needs as a file, or the other way round. */
  #findBlocker(name: string): string | null {
    const packed = PackedRefs.read(this.#layout.commonDirectory);
    const above = parentNames(name).find(
      (parent) => packed.get(parent) !== null || readRefFile(this.#path(parent)) !== null,
    );
    return above ?? packed.firstBelow(name) ?? refFilesBelow(this.#root(name), name)[0] ?? null;
  }

  /** Also its reflog. Missing already: fine. @throws GitError `GIT_REF_MOVED`, `GIT_LOCKED`. */
  async delete(name: string, expected: ObjectId, options: LockOptions = {}): Promise<void> {
    requireRefName(name);
    if (this.#resolve(name).id === null) return;
    const lock = await this.#lock(name, options);
    try {
      const actual = this.#resolve(name).id;
      if (actual !== null && actual !== expected)
        throw refMoved({ name, expected, target: expected, message: '' }, actual);
      await this.#removeEverywhere(name, options);
      rmSync(this.#path(`logs/${name}`), { force: true });
    } catch (error) {
      throw fileSystemError(`cannot delete ${name}`, error);
    } finally {
      await lock.release();
    }
    removeEmptyParents(this.#root(name), name);
    removeEmptyParents(join(this.#root(name), 'logs'), name);
  }

  /**
   * The lock on packed-refs is held until the loose file is gone too, as git does it: otherwise a `git pack-refs` that read
   * the loose file a moment ago would bring the ref back.
   */
  async #removeEverywhere(name: string, options: LockOptions): Promise<void> {
    const packedPath = join(this.#layout.commonDirectory, 'packed-refs');
    const lock = await acquireLockFile(packedPath, options);
    try {
      const packed = PackedRefs.read(this.#layout.commonDirectory);
      if (packed.get(name) !== null) await writeFileAtomically(packedPath, packed.without(name));
      if (readRefFile(this.#path(name)) !== null) unlinkSync(this.#path(name));
    } finally {
      await lock.release();
    }
  }

  /** Puts a work tree's HEAD on a branch, or detaches it at a commit, with a reflog line. No ref moves. */
  async setHead(
    gitDirectory: string,
    target: { readonly branch: string } | { readonly commit: ObjectId },
    message: string,
    options: LockOptions = {},
  ): Promise<void> {
    if ('branch' in target) requireRefName(target.branch);
    const lock = await acquireLockFile(join(gitDirectory, 'HEAD'), options);
    try {
      const before = (await this.readHead(gitDirectory)).commit;
      const after = 'branch' in target ? this.#resolve(target.branch).id : target.commit;
      await lock.write(Buffer.from('branch' in target ? `ref: ${target.branch}\n` : `${target.commit}\n`));
      this.#append(join(gitDirectory, 'logs/HEAD'), 'HEAD', { before, after, message });
      await lock.commit();
    } finally {
      await lock.release();
    }
  }

  #log(name: string, { expected: before, target: after, message, headLogs }: LoggedRefUpdate): void {
    this.#append(this.#path(`logs/${name}`), name, { before, after, message });
    for (const gitDirectory of headLogs ?? this.#gitDirectoriesOn(name))
      this.#append(join(gitDirectory, 'logs/HEAD'), 'HEAD', { before, after, message });
  }

  #append(
    path: string,
    name: string,
    line: { before: ObjectId | null; after: ObjectId | null; message: string },
  ): void {
    const bare = this.#config.boolean('core.bare', false);
    const who = readReflogIdentity(this.#config, this.#environment);
    appendReflog(path, { ...line, who }, startsReflog(name, this.#config, bare));
  }

  #gitDirectoriesOn(branch: string): readonly string[] {
    if (!branch.startsWith('refs/heads/')) return [];
    const { commonDirectory } = this.#layout;
    const linked = namesIn(join(commonDirectory, 'worktrees'));
    return [commonDirectory, ...linked.map((name) => join(commonDirectory, 'worktrees', name))].filter(
      (gitDirectory) => {
        const head = readRefFile(join(gitDirectory, 'HEAD'));
        return head?.kind === 'symbolic' && head.target === branch;
      },
    );
  }

  /** Where a chain of symbolic refs ends, and what is there. */
  #resolve(first: string): { readonly name: string; readonly id: ObjectId | null } {
    let name = first;
    for (let depth = 0; depth <= DEEPEST_LINK; depth++) {
      const value = readRefFile(this.#path(name));
      if (value?.kind === 'id') return { name, id: value.id };
      if (value === null) return { name, id: PackedRefs.read(this.#layout.commonDirectory).get(name) };
      name = value.target;
      requireRefName(name);
    }
    throw new GitError('GIT_CORRUPT', `${first} is a symbolic ref that leads nowhere`, {
      data: { ref: first },
    });
  }

  #path(name: string): string {
    return gitPath(this.#layout, name);
  }

  /** The git folder that the ref's file lies in. */
  #root(name: string): string {
    return this.#path(name).slice(0, -name.length - 1);
  }
}

function refMoved({ name, expected }: RefUpdate, actual: ObjectId | null): GitError {
  const data = { ref: name, expected, actual };
  if (expected === null)
    return new GitError('GIT_REF_EXISTS', `${name} exists already, at ${String(actual)}`, { data });
  return new GitError('GIT_REF_MOVED', `${name} is at ${actual ?? 'no commit'}, not at ${expected}`, {
    hint: 'Somebody moved it meanwhile: look at it, then try again.',
    data,
  });
}

function refBlocked(name: string, blocker: string): GitError {
  return new GitError('GIT_REF_BLOCKED', `${name} cannot be made while ${blocker} exists`, {
    hint: `A ref and a folder cannot have one name: rename or delete ${blocker}.`,
    data: { ref: name, blocker },
  });
}
