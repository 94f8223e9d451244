import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup.mjs';

const LEFT_OUT = new Set([
  'node_modules',
  'dist',
  'out-tsc',
  'bundle',
  '.git',
  '.nx',
  '.reports',
  '.changeset',
]);

/** The documents of the workspace, relative to its root, sorted. */
export const markdownFiles = (folder = '.') =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => !LEFT_OUT.has(entry.name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return markdownFiles(path);
      return entry.name.endsWith('.md') ? [path] : [];
    })
    .sort();
