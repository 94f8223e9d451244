import type {
  FileContent,
  FileStatus,
  Fingerprint,
  RootedFileSystem,
  RootedPath,
  Walk,
  WalkEntry,
  WalkOptions,
  WriteOptions,
  WriteOutcome,
} from '@cleveragents/shared-kernel';
import { hasCode, parseRootedPath, refuseGitNames, rootedFileError } from '@cleveragents/shared-kernel';
import { createHash } from 'node:crypto';
import { InMemoryWalk } from './in-memory-rooted-walk.ts';
import type { Directory, MemoryFile, Node, Reached } from './in-memory-tree.ts';
import { directory, follow } from './in-memory-tree.ts';

const NEW_FILE_MODE = 0o644;

/** A `RootedFileSystem` on a tree of plain objects, which tests can arrange and inspect beside the port. */
export class InMemoryRootedFileSystem implements RootedFileSystem {
  readonly confinement = 'pinned';
  readonly #world: Directory;
  readonly #root: readonly string[];

  /** @param root names, from the top of `world`, of the directory that paths cannot leave; it must be there */
  constructor({ world = directory(), root = [] }: { world?: Directory; root?: readonly string[] } = {}) {
    this.#world = world;
    this.#root = root;
  }

  async status(raw: string): Promise<FileStatus | undefined> {
    try {
      return statusOf(this.#reach(parseRootedPath(raw)));
    } catch (error) {
      if (hasCode(error, 'FILE_NOT_FOUND')) return undefined;
      throw error;
    }
  }

  async entryType(raw: string): Promise<WalkEntry['type'] | undefined> {
    const path = parseRootedPath(raw);
    const name = path.segments.at(-1);
    if (name === undefined || name === '..') return (await this.status(raw))?.type;
    try {
      const parent = this.#reach({ ...path, segments: path.segments.slice(0, -1), namesDirectory: true });
      const type = directoryOf(raw, parent.node).entries.get(name)?.kind;
      return type === 'directory' || !path.namesDirectory ? type : (await this.status(raw))?.type;
    } catch (error) {
      if (hasCode(error, 'FILE_NOT_FOUND', 'NOT_A_DIRECTORY')) return undefined;
      throw error;
    }
  }

  async read(raw: string, { maxBytes }: { readonly maxBytes: number }): Promise<FileContent> {
    const { reached, bytes } = this.#fileAt(raw);
    if (bytes.length > maxBytes)
      throw rootedFileError('FILE_TOO_LARGE', raw, `is larger than ${maxBytes} bytes`, {
        data: { size: bytes.length, maxBytes },
      });
    return { bytes: bytes.slice(), sha256: sha256(bytes), status: statusOf(reached) };
  }

  async *stream(raw: string): AsyncGenerator<Uint8Array, void, undefined> {
    const { bytes } = this.#fileAt(raw);
    for (let offset = 0; offset < bytes.length; offset += 65_536) yield bytes.slice(offset, offset + 65_536);
  }

  async fingerprint(
    raw: string,
    { maxBytes }: { readonly maxBytes: number },
  ): Promise<Fingerprint | undefined> {
    const path = parseRootedPath(raw);
    const name = path.segments.at(-1);
    if (name === undefined || name === '..') return undefined;
    try {
      const parent = this.#reach({ ...path, segments: path.segments.slice(0, -1) });
      const node = parent.node.kind === 'directory' ? parent.node.entries.get(name) : undefined;
      const names = [...parent.names, name];
      if (node?.kind === 'file') return fingerprintOf({ node, names }, maxBytes);
      if (node?.kind !== 'link') return undefined;
      const text = new TextEncoder().encode(node.target);
      const target = this.#targetOf(path, maxBytes);
      return {
        path: names.join('/'),
        type: 'link',
        sha256: sha256(text),
        size: text.length,
        mode: 0o777,
        target,
      };
    } catch (error) {
      if (hasCode(error, 'FILE_NOT_FOUND', 'NOT_A_DIRECTORY')) return undefined;
      throw error;
    }
  }

  async write(raw: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<WriteOutcome> {
    const path = this.#parseForChange(raw);
    const existing = this.#reachIfThere(path);
    if (existing !== undefined) {
      const file = fileOf(raw, existing.node);
      refuseGitNames(raw, existing.names);
      refuseIfChanged(raw, file, options);
      // A new node, because another name of the file keeps its bytes.
      const replacement: MemoryFile = { kind: 'file', bytes: bytes.slice(), mode: file.mode & 0o777 };
      existing.parent?.entries.set(existing.names.at(-1) ?? '', replacement);
      return { created: false, status: statusOf({ ...existing, node: replacement }) };
    }
    refuseIfChanged(raw, undefined, options);
    const { node, names } = this.#makeDirectories(
      path,
      path.segments.slice(0, -1),
      options.makeParents === true,
    );
    const name = path.segments.at(-1) ?? '';
    const file: MemoryFile = { kind: 'file', bytes: bytes.slice(), mode: NEW_FILE_MODE };
    node.entries.set(name, file);
    return { created: true, status: statusOf({ node: file, names: [...names, name] }) };
  }

  async remove(raw: string): Promise<boolean> {
    const path = this.#parseForChange(raw);
    const parent = this.#reachIfThere({ ...path, segments: path.segments.slice(0, -1) });
    if (parent === undefined) return false;
    refuseGitNames(raw, parent.names);
    const name = path.segments.at(-1) ?? '';
    const entries = directoryOf(raw, parent.node).entries;
    if (entries.get(name)?.kind === 'directory') fileOf(raw, entries.get(name));
    return entries.delete(name);
  }

  async makeDirectory(raw: string): Promise<boolean> {
    const path = parseRootedPath(raw);
    refuseGitNames(raw, path.segments);
    const before = this.#reachIfThere(path);
    if (before === undefined) this.#makeDirectories(path, path.segments, true);
    else {
      refuseGitNames(raw, before.names);
      directoryOf(raw, before.node);
    }
    return before === undefined;
  }

  walk(raw: string, options: WalkOptions): Walk {
    return new InMemoryWalk(() => {
      const reached = this.#reach(parseRootedPath(raw));
      return { directory: directoryOf(raw, reached.node), names: reached.names };
    }, options);
  }

  async hostPath(raw: string): Promise<undefined> {
    const path = parseRootedPath(raw);
    try {
      this.#reach(path);
    } catch (error) {
      if (!hasCode(error, 'FILE_NOT_FOUND')) throw error;
    }
  }

  #reach(path: RootedPath): Reached {
    return follow(path, this.#world, this.#root);
  }

  #reachIfThere(path: RootedPath): Reached | undefined {
    try {
      return this.#reach(path);
    } catch (error) {
      if (hasCode(error, 'FILE_NOT_FOUND') && error.message.endsWith('was not found')) return undefined;
      throw error;
    }
  }

  #targetOf(path: RootedPath, maxBytes: number): Fingerprint | undefined {
    try {
      const reached = this.#reach(path);
      return reached.node.kind === 'file'
        ? fingerprintOf({ ...reached, node: reached.node }, maxBytes)
        : undefined;
    } catch (error) {
      if (hasCode(error, 'FILE_NOT_FOUND', 'PATH_TRAVERSAL', 'PATH_INVALID', 'NOT_A_DIRECTORY'))
        return undefined;
      throw error;
    }
  }

  #parseForChange(raw: string): RootedPath {
    const path = parseRootedPath(raw);
    refuseGitNames(raw, path.segments);
    if (path.segments.length > 0 && !path.namesDirectory) return path;
    this.#fileAt(raw);
    throw namesADirectory(raw);
  }

  #fileAt(raw: string): { readonly reached: Reached; readonly bytes: Uint8Array } {
    const path = parseRootedPath(raw);
    const there = path.namesDirectory ? this.#reachIfThere(path) : this.#reach(path);
    // Nothing there yet: it is not missing, it is no name for a file.
    if (there === undefined) throw namesADirectory(raw);
    return { reached: there, bytes: fileOf(raw, there.node).bytes };
  }

  #makeDirectories(
    path: RootedPath,
    segments: readonly string[],
    makeMissing: boolean,
  ): { node: Directory; names: readonly string[] } {
    let reached: Reached = this.#reach({ ...path, segments: [] });
    for (let length = 1; length <= segments.length; length++) {
      refuseGitNames(path.raw, reached.names);
      const next = this.#reachIfThere({ ...path, segments: segments.slice(0, length) });
      if (next === undefined) {
        if (!makeMissing || segments.slice(length - 1).includes('..'))
          throw rootedFileError('FILE_NOT_FOUND', path.raw, 'lies in a directory that was not found');
        directoryOf(path.raw, reached.node).entries.set(segments[length - 1] ?? '', directory());
      }
      reached = next ?? this.#reach({ ...path, segments: segments.slice(0, length) });
    }
    refuseGitNames(path.raw, reached.names);
    return { node: directoryOf(path.raw, reached.node), names: reached.names };
  }
}

function statusOf({ node, names }: Pick<Reached, 'node' | 'names'>): FileStatus {
  const path = names.join('/');
  if (node.kind === 'file') return { path, type: 'file', size: node.bytes.length, mode: node.mode & 0o777 };
  return { path, type: node.kind === 'directory' ? 'directory' : 'other', size: 0, mode: 0o755 };
}

function fingerprintOf(
  { node, names }: { node: MemoryFile; names: readonly string[] },
  maxBytes: number,
): Fingerprint {
  const size = node.bytes.length;
  return {
    path: names.join('/'),
    type: 'file',
    sha256: size > maxBytes ? null : sha256(node.bytes),
    size,
    mode: node.mode & 0o777,
  };
}

function fileOf(raw: string, node: Node | undefined): MemoryFile {
  if (node?.kind === 'file') return node;
  const problem = node?.kind === 'directory' ? 'is a directory, not a regular file' : 'is not a regular file';
  throw rootedFileError('NOT_A_REGULAR_FILE', raw, problem);
}

function directoryOf(raw: string, node: Node): Directory {
  if (node.kind === 'directory') return node;
  throw rootedFileError('NOT_A_DIRECTORY', raw, 'is not a directory');
}

function refuseIfChanged(raw: string, file: MemoryFile | undefined, { expectedSha256 }: WriteOptions): void {
  if (expectedSha256 === undefined || (file !== undefined && sha256(file.bytes) === expectedSha256)) return;
  throw rootedFileError('FILE_CHANGED', raw, 'is not what was expected: it has changed meanwhile');
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function namesADirectory(raw: string): Error {
  return rootedFileError('NOT_A_REGULAR_FILE', raw, 'names a directory, not a regular file');
}
