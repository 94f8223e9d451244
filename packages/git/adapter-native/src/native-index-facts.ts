import type { Leaf, LeafMode, ObjectId, TreeChange } from '@cleveragents/git-domain';
import type { PathFacts } from '@cleveragents/git-ports';
import type { IndexSetting } from './index-info.ts';
import type { PrivateIndex } from './private-index.ts';
import { type IndexFacts, isSameLeaf, parentsOf } from './shared-parts.ts';

interface Entry {
  readonly leaf: Leaf;
  readonly isUnmerged: boolean;
  readonly skipsWorktree: boolean;
  readonly isUnwatched: boolean;
}

/** What git says of an index, whatever form it has. */
export class NativeIndexFacts implements IndexFacts {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #intentToAdd: ReadonlySet<string>;
  readonly #below = new Map<string, string[]>();

  private constructor(entries: ReadonlyMap<string, Entry>, intentToAdd: ReadonlySet<string>) {
    this.#entries = entries;
    this.#intentToAdd = intentToAdd;
    for (const path of entries.keys())
      for (const parent of parentsOf(path)) {
        const paths = this.#below.get(parent);
        if (paths === undefined) this.#below.set(parent, [path]);
        else paths.push(path);
      }
  }

  static async read(index: PrivateIndex, changes: readonly TreeChange[]): Promise<NativeIndexFacts> {
    const entries = new Map<string, Entry>();
    for (const record of await index.records(['ls-files', '-z', '-v', '--stage'])) {
      const [tag = '', mode, id, stage] = (record.split('\t', 1)[0] ?? '').split(' ');
      const letter = tag.toUpperCase();
      entries.set(record.slice(record.indexOf('\t') + 1), {
        leaf: { mode: mode as LeafMode, id: id as ObjectId },
        isUnmerged: stage !== '0',
        skipsWorktree: letter === 'S',
        isUnwatched: letter === 'S' || tag !== letter,
      });
    }
    return new NativeIndexFacts(entries, await findIntentToAdd(index, entries, changes));
  }

  paths(): Iterable<string> {
    return this.#entries.keys();
  }

  stateOf({ path, before, after }: TreeChange, leaving: ReadonlySet<string>): PathFacts['index'] {
    const entry = this.#entries.get(path);
    if (entry === undefined) return after !== null && this.#isOverlaid(path, leaving) ? 'other' : 'absent';
    if (entry.isUnmerged) return 'unmerged';
    if (this.#intentToAdd.has(path)) return 'other';
    if (isSameLeaf(entry.leaf, before)) return 'before';
    return isSameLeaf(entry.leaf, after) ? 'after' : 'other';
  }

  /** Those that tell how files are converted. */
  attributeFiles(): readonly IndexSetting[] {
    return [...this.#entries]
      .filter(([path, { isUnmerged }]) => /(?:^|\/)\.gitattributes$/.test(path) && !isUnmerged)
      .map(([path, { leaf }]) => ({ path, leaf }));
  }

  /** Of a path without conflict; null: it has no entry, or several. */
  leafAt(path: string): Leaf | null {
    const entry = this.#entries.get(path);
    return entry === undefined || entry.isUnmerged ? null : entry.leaf;
  }

  isUnwatched(path: string): boolean {
    return this.#entries.get(path)?.isUnwatched ?? false;
  }

  skipsWorktree(path: string): boolean {
    return this.#entries.get(path)?.skipsWorktree ?? false;
  }

  #isOverlaid(path: string, leaving: ReadonlySet<string>): boolean {
    if (parentsOf(path).some((parent) => this.#entries.has(parent) && !leaving.has(parent))) return true;
    return (this.#below.get(path) ?? []).some((below) => !leaving.has(below));
  }
}

/** Entries that only announce a file look like those of an empty one; `diff-files` tells them apart. */
async function findIntentToAdd(
  index: PrivateIndex,
  entries: ReadonlyMap<string, Entry>,
  changes: readonly TreeChange[],
): Promise<ReadonlySet<string>> {
  const added = changes.filter(({ path, before }) => before === null && entries.has(path));
  if (added.length === 0) return new Set();
  const records = await index.records(['diff-files', '-z', '--name-status', '--no-renames']);
  const found = new Set<string>();
  for (let at = 0; at + 1 < records.length; at += 2)
    if (records[at] === 'A') found.add(records[at + 1] ?? '');
  return found;
}
