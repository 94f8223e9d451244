import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import {
  type Commit,
  type CommitReader,
  decodeTree,
  encodeTree,
  type LeafMode,
  type ObjectId,
  parseObjectId,
  type Sha1,
  type Signature,
  type TreeEntry,
  type TreeReader,
  type TreeWriter,
} from '../../src/index.ts';
import type { RealRepository } from './real-git.ts';

export const sha1: Sha1 = (parts) => {
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const PACK_TYPES: Readonly<Record<string, number>> = { commit: 1, tree: 2, blob: 3 };

/** An object as it stands in a pack: type and size in a number of variable length, then the content, deflated. */
function packEntry({ type, content }: { readonly type: string; readonly content: Uint8Array }): Buffer {
  const head = [((PACK_TYPES[type] ?? 0) << 4) | (content.length & 15)];
  for (let rest = content.length >>> 4; rest > 0; rest >>>= 7) {
    head[head.length - 1] = (head.at(-1) ?? 0) | 0x80;
    head.push(rest & 0x7f);
  }
  return Buffer.concat([Buffer.from(head), deflateSync(content, { level: 1 })]);
}

export const ADA: Signature = {
  name: 'Ada',
  email: 'ada@example.invalid',
  timestampSeconds: 1_700_000_000,
  offsetMinutes: 0,
};

/** A file of a tree to be made: its content, or a mode with content or (for a gitlink) a commit's id. */
export type FileOfTree =
  string | Uint8Array | { readonly mode: LeafMode; readonly content: string | Uint8Array };
export type FilesOfTree = Readonly<Record<string, FileOfTree>>;

/** A whole object store in memory, which can be carried to and from a real repository. */
export class MemoryObjects implements TreeReader, TreeWriter, CommitReader {
  readonly #objects = new Map<ObjectId, { readonly type: string; readonly content: Uint8Array }>();
  readonly #exported = new WeakMap<RealRepository, number>();
  /** Trees read so far, in order. */
  readonly treesRead: ObjectId[] = [];
  /** Blobs read so far, in order. */
  readonly blobsRead: ObjectId[] = [];

  constructor() {
    this.put('tree', new Uint8Array());
  }

  get size(): number {
    return this.#objects.size;
  }

  async readTree(id: ObjectId): Promise<readonly TreeEntry[]> {
    this.treesRead.push(id);
    return decodeTree(this.#content(id, 'tree'));
  }

  async readBlob(id: ObjectId): Promise<Uint8Array> {
    this.blobsRead.push(id);
    return this.#content(id, 'blob');
  }

  async readCommit(id: ObjectId): Promise<Commit> {
    const [head = '', message = ''] = Buffer.from(this.#content(id, 'commit'))
      .toString()
      .split(/\n\n(.*)/s);
    const values = (name: string): string[] =>
      [...head.matchAll(new RegExp(`^${name} (.*)$`, 'gm'))].map(([, value]) => value as string);
    const timestampSeconds = Number(/> (\d+) /.exec(values('committer')[0] ?? '')?.[1]);
    return {
      tree: parseObjectId(values('tree')[0] ?? ''),
      parents: values('parent').map(parseObjectId),
      author: { ...ADA, timestampSeconds },
      committer: { ...ADA, timestampSeconds },
      message,
    };
  }

  async writeTree(entries: readonly TreeEntry[]): Promise<ObjectId> {
    return this.put('tree', encodeTree(entries));
  }

  async writeBlob(bytes: Uint8Array): Promise<ObjectId> {
    return this.put('blob', bytes);
  }

  put(type: string, content: Uint8Array): ObjectId {
    const id = parseObjectId(
      createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex'),
    );
    if (!this.#objects.has(id)) this.#objects.set(id, { type, content });
    return id;
  }

  putFile(file: FileOfTree): { readonly mode: LeafMode; readonly id: ObjectId } {
    const { mode, content } =
      typeof file === 'string' || file instanceof Uint8Array
        ? { mode: '100644' as const, content: file }
        : file;
    if (mode === '160000') return { mode, id: parseObjectId(String(content)) };
    return { mode, id: this.put('blob', typeof content === 'string' ? Buffer.from(content) : content) };
  }

  /** Makes the tree objects of a list of paths. */
  putTree(files: FilesOfTree): ObjectId {
    const folders = new Map<string, Record<string, FileOfTree>>();
    const entries: TreeEntry[] = [];
    for (const [path, file] of Object.entries(files)) {
      const slash = path.indexOf('/');
      if (slash < 0) entries.push({ name: path, ...this.putFile(file) });
      else {
        const folder = folders.get(path.slice(0, slash)) ?? {};
        folders.set(path.slice(0, slash), { ...folder, [path.slice(slash + 1)]: file });
      }
    }
    for (const [name, below] of folders) entries.push({ name, mode: '040000', id: this.putTree(below) });
    return this.put('tree', encodeTree(entries));
  }

  putCommit(tree: ObjectId, parents: readonly ObjectId[] = [], seconds = ADA.timestampSeconds): ObjectId {
    const person = `Ada <ada@example.invalid> ${seconds} +0000`;
    const parentLines = parents.map((parent) => `parent ${parent}\n`).join('');
    const text = `tree ${tree}\n${parentLines}author ${person}\ncommitter ${person}\n\nmessage\n`;
    return this.put('commit', Buffer.from(text));
  }

  /** All paths below a tree, with mode and id. */
  async list(tree: ObjectId, prefix = ''): Promise<Record<string, string>> {
    const paths: Record<string, string> = {};
    for (const { name, mode, id } of decodeTree(this.#content(tree, 'tree')))
      if (mode === '040000') Object.assign(paths, await this.list(id, `${prefix}${name}/`));
      else paths[prefix + name] = `${mode} ${id}`;
    return paths;
  }

  text(id: ObjectId): string {
    return Buffer.from(this.#content(id, 'blob')).toString('latin1');
  }

  /** Gives the repository every object that it was not given before, as one pack. */
  exportTo(repository: RealRepository): void {
    const written = this.#exported.get(repository) ?? 0;
    this.#exported.set(repository, this.#objects.size);
    const objects = [...this.#objects.values()].slice(written);
    if (objects.length === 0) return;
    const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
    header.writeUInt32BE(objects.length, 8);
    const content = Buffer.concat([header, ...objects.map(packEntry)]);
    repository.git(['index-pack', '--stdin'], Buffer.concat([content, sha1([content])]));
  }

  /** Takes over every object of the repository. */
  importFrom(repository: RealRepository): void {
    const output = repository.git(['cat-file', '--batch', '--batch-all-objects', '--unordered']);
    for (let at = 0; at < output.length;) {
      const lineEnd = output.indexOf(10, at);
      const [, type = '', size = ''] = output.toString('latin1', at, lineEnd).split(' ');
      const end = lineEnd + 1 + Number(size);
      this.put(type, new Uint8Array(output.subarray(lineEnd + 1, end)));
      at = end + 1;
    }
  }

  #content(id: ObjectId, type: string): Uint8Array {
    const object = this.#objects.get(id);
    if (object?.type !== type) throw new Error(`no ${type} ${id}`);
    return object.content;
  }
}
