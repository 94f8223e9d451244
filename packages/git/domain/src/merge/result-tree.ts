import type { ObjectId, TreeEntry, TreeWriter } from '../objects.ts';
import type { DraftBlobs } from './draft-blobs.ts';
import { parentOf, type PathResult } from './merged-path.ts';
import { nameOf } from '../rename/rename-matcher.ts';

/** The tree that a merge puts together, directory by directory. */
export class ResultTree {
  readonly #folders = new Map<string, Map<string, PathResult>>();

  put(path: string, result: PathResult | null): void {
    if (result === null) return;
    const folder = parentOf(path);
    const entries = this.#folders.get(folder) ?? new Map<string, PathResult>();
    entries.set(nameOf(path), result);
    this.#folders.set(folder, entries);
  }

  /** Whether anything was put below the path. */
  hasFolder(path: string): boolean {
    return this.#folders.has(path);
  }

  /** Writes every directory that was put together, and the files that the merge made. */
  async write(writer: TreeWriter, drafts: DraftBlobs, folder = ''): Promise<ObjectId> {
    const entries: TreeEntry[] = [];
    for (const [name, result] of this.#folders.get(folder) ?? []) {
      if (result === 'folder') {
        const path = folder === '' ? name : `${folder}/${name}`;
        entries.push({ name, mode: '040000', id: await this.write(writer, drafts, path) });
      } else entries.push({ name, mode: result.mode, id: await drafts.write(writer, result.id) });
    }
    return writer.writeTree(entries);
  }
}
