// What a built package may load, judged from what it did load. Pure.
import { LIBRARIES, mayImport, PURE_LAYERS, roomOf } from './rules.mjs';

/** Node modules that a bundler supplies in a browser, so that a library may ask for them (iconv-lite does). */
const PORTABLE = ['node:buffer', 'node:stream', 'node:string_decoder'];
const CONTAINER_LIBRARIES = /^(inversify|@inversifyjs\/.*|reflect-metadata)$/;
/** The adapters that may load an adapter of git; docs/adr says why. */
const WITH_ENGINE = ['packages/sandbox/adapter-git-worktree', 'packages/git/adapter-native'];

/** The package that a URL lies in: `{ library }`, `{ folder }` of the workspace, or `{ builtin }`. */
function ownerOf(url, root) {
  if (url.startsWith('node:')) return { builtin: url };
  const inLibrary = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url);
  if (inLibrary) return { library: inLibrary[1] };
  const folder = /^packages\/[^/]+\/[^/]+/.exec(url.slice(root.length))?.[0];
  return folder ? { folder } : { other: url };
}

function builtinFault(name, { layer, subpath }, parent) {
  if (!PURE_LAYERS.includes(layer)) return undefined;
  if (parent.library && PORTABLE.includes(name)) return undefined;
  if (subpath === './contract' && /^node:assert(\/|$)/.test(name)) return undefined;
  return `Node's ${name}`;
}

function libraryFault(name, { layer, subpath }, parent) {
  if (CONTAINER_LIBRARIES.test(name))
    return subpath === './container' ? undefined : `the container library ${name}`;
  const isDirect = parent.library === undefined;
  if (!isDirect || !PURE_LAYERS.includes(layer)) return undefined;
  const allowed = PURE_LAYERS.slice(0, PURE_LAYERS.indexOf(layer) + 1).flatMap((each) => LIBRARIES[each]);
  return allowed.includes(name) ? undefined : `the library ${name}`;
}

function folderFault(folder, entry) {
  if (folder === entry.folder || mayImport(entry, roomOf(folder))) return undefined;
  const isEngine = WITH_ENGINE.includes(entry.folder) && /^packages\/git\//.test(folder);
  return isEngine ? undefined : `the package in ${folder}`;
}

/**
 * Why `loads` are more than the table allows the entry; empty when they are not.
 *
 * @param {{ folder: string, subpath: string }} entry of a package: 'packages/sandbox/domain', '.'
 * @param {readonly { url: string, parent: string }[]} loads as record-loads.mjs prints them
 * @param {string} root URL of the workspace, with its last slash
 */
export function faultsOf({ folder, subpath }, loads, root) {
  const entry = { folder, subpath, ...roomOf(folder) };
  const faults = loads
    .map(({ url, parent }) => ({ owner: ownerOf(url, root), parent: ownerOf(parent, root) }))
    .map(({ owner, parent }) => {
      if (owner.builtin) return builtinFault(owner.builtin, entry, parent);
      if (owner.library) return libraryFault(owner.library, entry, parent);
      return owner.folder ? folderFault(owner.folder, entry) : `the file ${owner.other}`;
    });
  return [...new Set(faults.filter((fault) => fault !== undefined))];
}
