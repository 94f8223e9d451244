// What the other tools know of the workspace: where its packages lie, and what each of them imports.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

export const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
export const exists = (path) => existsSync(join(root, path));

const subfolders = (path) =>
  exists(path)
    ? readdirSync(join(root, path), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && exists(`${path}/${entry.name}`))
        .map((entry) => `${path}/${entry.name}`)
    : [];

/** Folders of all packages, POSIX, relative to the root, sorted: `packages/sandbox/domain`, `apps/cli`, `features`, `tools/bench`. */
export function packageFolders() {
  return [
    ...subfolders('packages').flatMap(subfolders),
    ...subfolders('apps'),
    'features',
    ...subfolders('tools'),
  ]
    .filter((folder) => exists(`${folder}/package.json`))
    .sort();
}

/** Folders of TypeScript programs that belong to no package. */
export const programFolders = () =>
  ['docs/examples', 'tools/bench'].filter((folder) => typescriptFiles(folder).length > 0);

/** TypeScript files below `folder`, build output left out. */
export function typescriptFiles(folder) {
  if (!exists(folder)) return [];
  return ts.sys
    .readDirectory(join(root, folder), ['.ts'], ['**/node_modules', '**/dist', '**/out-tsc', '**/bundle'])
    .map((file) => relative(root, file).split(sep).join('/'));
}

/** Names of the packages that the files below `folder` import (types too), Node's own modules left out. */
export function importedPackages(folder) {
  const names = new Set();
  for (const file of typescriptFiles(folder)) {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), 'utf8'));
    for (const { fileName: specifier } of importedFiles) {
      if (/^[./]|^node:/.test(specifier) || builtinModules.includes(specifier)) continue;
      names.add(
        specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/'),
      );
    }
  }
  return names;
}

export const relativeFolder = (from, to) => posix.relative(from, to) || '.';
export const parentFolder = dirname;
