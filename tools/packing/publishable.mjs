// The packages that go to npm: everything in the workspace that isn't private.
import { packageFolders, readJson } from '../manifests/workspace.mjs';

/** @returns {{ folder: string, manifest: Record<string, any> }[]} sorted by folder */
export const publishablePackages = () =>
  packageFolders()
    .map((folder) => ({ folder, manifest: readJson(`${folder}/package.json`) }))
    .filter(({ manifest }) => !manifest.private);

/** The import specifiers of a package, types and package.json left out. */
export const entryPoints = ({ name, exports = {} }) =>
  Object.keys(exports)
    .filter((subpath) => subpath !== './package.json')
    .map((subpath) => `${name}${subpath.slice(1)}`);
