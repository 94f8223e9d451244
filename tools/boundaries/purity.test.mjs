// A built entry loads no more than the table of docs/architecture allows: a domain runs without Node, no entry but
// './container' loads inversify, the checkpoint service loads no git.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { packageFolders, readJson, root } from '../manifests/workspace.mjs';
import { faultsOf } from './loads.mjs';

const ROOT = pathToFileURL(`${root}/`).href;
const RECORDER = join(root, 'tools/boundaries/record-loads.mjs');

function loadsOf(specifier) {
  const run = spawnSync(process.execPath, [RECORDER, specifier], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  assert.equal(run.status, 0, run.stderr);
  return JSON.parse(run.stdout);
}

const entries = packageFolders()
  .filter((folder) => folder.startsWith('packages/'))
  .flatMap((folder) => {
    const { name, exports } = readJson(`${folder}/package.json`);
    return Object.keys(exports)
      .filter((subpath) => subpath !== './package.json')
      .map((subpath) => ({ folder, subpath, specifier: `${name}${subpath.slice(1)}` }));
  });

describe('a built entry loads what its layer allows', () => {
  for (const { folder, subpath, specifier } of entries)
    it(specifier, () => {
      const loads = loadsOf(specifier);
      assert.ok(
        loads.some(({ url }) => url.startsWith(`${ROOT}${folder}/dist/`)),
        'it was not the built entry',
      );
      assert.deepEqual(faultsOf({ folder, subpath }, loads, ROOT), []);
    });
});

describe('more than that is a fault', () => {
  const root = 'file:///house/';
  const domain = { folder: 'packages/file-tools/domain', subpath: '.' };
  const service = { folder: 'packages/checkpoint/application', subpath: '.' };
  const worktrees = { folder: 'packages/sandbox/adapter-git-worktree', subpath: '.' };
  const container = { ...service, subpath: './container' };
  const contract = { folder: 'packages/git/ports', subpath: './contract' };
  const from = ({ folder }) => `${root}${folder}/dist/index.js`;
  const library = (name) => `${root}node_modules/${name}/index.js`;
  const faults = (entry, url, parent = from(entry)) => faultsOf(entry, [{ url, parent }], root);

  for (const [what, entry, url, parent] of [
    ["a domain loads Node's own modules", domain, 'node:fs'],
    ["a library of a domain loads Node's own modules", domain, 'node:crypto', library('zod')],
    ['a domain loads a library that is not on its list', domain, library('lodash')],
    ['a domain loads ports', domain, from({ folder: 'packages/file-tools/ports' })],
    ['a service loads git', service, from({ folder: 'packages/git/ports' })],
    ['a service loads an adapter', service, from({ folder: 'packages/checkpoint/adapter-file' })],
    ['a service loads inversify', service, library('inversify')],
    ['a library of a service loads inversify', service, library('@inversifyjs/core'), library('zod')],
    ['an adapter loads inversify', worktrees, library('inversify')],
    ['an adapter loads a service', worktrees, from({ folder: 'packages/sandbox/application' })],
    ['a contract loads the file system', contract, 'node:fs'],
    ['a root entry loads node:assert', { ...contract, subpath: '.' }, 'node:assert'],
    ['a package loads a file outside the house', domain, 'file:///elsewhere/a.js'],
  ])
    it(`when ${what}`, () => {
      assert.equal(faults(entry, url, parent).length, 1);
    });

  for (const [what, entry, url, parent] of [
    ['a domain loads its libraries', domain, library('zod')],
    ['a library loads what a bundler supplies', domain, 'node:buffer', library('safer-buffer')],
    ['a service loads the kernel', service, from({ folder: 'packages/shared/kernel' })],
    ['a container entry loads inversify', container, library('inversify')],
    ['a contract loads node:assert', contract, 'node:assert/strict'],
    ['an adapter loads Node', worktrees, 'node:fs'],
    ['a sandbox loads its default engine', worktrees, from({ folder: 'packages/git/adapter-isomorphic' })],
    [
      'the native engine loads the parts that it stands on',
      { folder: 'packages/git/adapter-native', subpath: '.' },
      from({ folder: 'packages/git/adapter-isomorphic' }),
    ],
  ])
    it(`not when ${what}`, () => {
      assert.deepEqual(faults(entry, url, parent), []);
    });
});
