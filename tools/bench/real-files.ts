import { copyFileSync, type Dirent, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MOST_FILES = 6_000;
const MOST_BYTES = 100 * 2 ** 20;
const LARGEST_BYTES = 8 * 2 ** 20;

/** Copies sources that people wrote: this workspace's installed packages, one after another until it is enough. */
export function copyRealFiles(modules: string, target: string): void {
  let [files, bytes] = [0, 0];
  for (const path of filesBelow(modules, '')) {
    const { size } = statSync(join(modules, path));
    if (size > LARGEST_BYTES) continue;
    if (files + 1 > MOST_FILES || bytes + size > MOST_BYTES) return;
    mkdirSync(dirname(join(target, path)), { recursive: true });
    copyFileSync(join(modules, path), join(target, path));
    files++;
    bytes += size;
  }
}

function* filesBelow(root: string, folder: string): Generator<string> {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).sort(byName);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    // Links lead back into the workspace; names with a dot are npm's own, or would be git's.
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) yield* filesBelow(root, path);
    else if (entry.isFile()) yield path;
  }
}

const byName = (left: Dirent, right: Dirent): number => (left.name < right.name ? -1 : 1);
