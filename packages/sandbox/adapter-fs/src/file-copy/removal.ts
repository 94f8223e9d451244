import { dirname } from 'node:path';
import { removeTree } from '@cleveragents/shared-adapter-fs';
import { statIfThere } from './pinned-folder.ts';

/** Removes a file or a folder with all it holds; a missing one is fine. @throws the system's error for what stays. */
export async function removeWhole(path: string): Promise<void> {
  if (statIfThere(path) === null) return;
  const { kept } = await removeTree(path, { within: dirname(path) });
  const [first] = kept;
  if (first !== undefined)
    throw Object.assign(new Error(`${first.path} cannot be removed: ${first.code}`), { code: first.code });
}
