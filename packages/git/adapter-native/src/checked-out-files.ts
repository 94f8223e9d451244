import { mkdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Leaf, LeafMode, ObjectId } from '@cleveragents/git-domain';
import { type NativeRepository, placeOf } from './native-repository.ts';
import { nulTerminated } from './nul-records.ts';
import { withPrivateIndex } from './private-index.ts';
import { type Deadline, lstatIfThere, isLink, readDiskLeaf, type WorktreeLayout } from './shared-parts.ts';

export interface CheckoutRequest {
  readonly layout: WorktreeLayout;
  readonly tree: ObjectId;
  /** With the mode that the tree has. No gitlinks. */
  readonly paths: ReadonlyMap<string, LeafMode>;
  /** Made anew. */
  readonly folder: string;
  readonly deadline: Deadline;
}

/** Files as they would lie in a work tree, kept in a folder apart. */
export class CheckedOutFiles {
  readonly #folder: string;
  readonly #modes: ReadonlyMap<string, LeafMode>;

  constructor(folder: string, modes: ReadonlyMap<string, LeafMode>) {
    this.#folder = folder;
    this.#modes = modes;
  }

  /** The file's bytes, or the link's target. */
  read(path: string): Buffer {
    const address = join(this.#folder, path);
    const stat = lstatIfThere(address);
    return stat !== null && isLink(stat) ? readlinkSync(address, 'buffer') : readFileSync(address);
  }

  /** A leaf that names these bytes, whatever git keeps of them. */
  leafOf(path: string): Leaf {
    const found = readDiskLeaf(join(this.#folder, path), null);
    if (typeof found === 'string') throw new Error(`git left ${path} out: ${found}`);
    return { mode: this.modeOf(path), id: found.leaf.id };
  }

  /** Where links cannot be made, git makes files of them. */
  modeOf(path: string): LeafMode {
    const mode = this.#modes.get(path) ?? '100644';
    if (mode !== '120000') return mode;
    const stat = lstatIfThere(join(this.#folder, path));
    return stat !== null && isLink(stat) ? '120000' : '100644';
  }
}

/**
 * Has git write files of a tree, through its filters, under the attributes of that tree. Nothing of the work tree is
 * touched.
 */
export async function checkOutBeside(
  { git }: Pick<NativeRepository, 'git'>,
  { layout, tree, paths, folder, deadline }: CheckoutRequest,
): Promise<CheckedOutFiles> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (paths.size > 0)
    await withPrivateIndex(git, layout, { from: 'nothing', deadline }, async (index) => {
      await index.run(['read-tree', '--no-recurse-submodules', tree]);
      await git.run({
        place: { ...placeOf(layout, index.file), workTree: folder },
        args: ['checkout-index', '-z', '--force', '--ignore-skip-worktree-bits', '--stdin'],
        input: nulTerminated(paths.keys()),
        deadline,
      });
    });
  return new CheckedOutFiles(folder, paths);
}
