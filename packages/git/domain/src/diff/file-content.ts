import { encodeUtf8 } from '../bytes.ts';
import type { Leaf, TreeReader } from '../objects.ts';

/** What git compares of a path: a file's bytes, a link's target, one line for a submodule, nothing for no file. */
export async function contentOf(
  reader: Pick<TreeReader, 'readBlob'>,
  leaf: Leaf | null,
): Promise<Uint8Array> {
  if (leaf === null) return new Uint8Array();
  if (leaf.mode === '160000') return encodeUtf8(`Subproject commit ${leaf.id}\n`);
  return reader.readBlob(leaf.id);
}
