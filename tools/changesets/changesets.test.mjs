// What the changesets announce, as @changesets/cli itself reads them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { exists, packageFolders, root } from '../manifests/workspace.mjs';
import { publishablePackages } from '../packing/publishable.mjs';

const PERSON = { name: 'Test', email: 'test@example.invalid' };
const GIT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: PERSON.name,
  GIT_AUTHOR_EMAIL: PERSON.email,
  GIT_COMMITTER_NAME: PERSON.name,
  GIT_COMMITTER_EMAIL: PERSON.email,
};
const CLI = join(root, 'node_modules/@changesets/cli/bin.js');

/** In a repository of its own, where every changeset is new: `status` leaves out those that the base has already. */
function releasesIn(folder) {
  const run = (command, ...args) =>
    execFileSync(command, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, ...GIT },
      encoding: 'utf8',
    });
  const copy = (path) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path), { recursive: true });
  };
  for (const path of ['package.json', ...packageFolders().map((each) => `${each}/package.json`)]) copy(path);
  run('git', 'init', '--quiet', '--initial-branch=main');
  const commit = (message) => {
    run('git', 'add', '--all');
    run('git', 'commit', '--quiet', `--message=${message}`);
  };
  commit('packages');
  run('git', 'switch', '--quiet', '--create', 'next');
  copy('.changeset');
  commit('changesets');
  run(process.execPath, CLI, 'status', '--since=main', '--output=releases.json');
  return JSON.parse(readFileSync(join(folder, 'releases.json'), 'utf8')).releases;
}

describe('the changesets', () => {
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'cleveragents-changesets-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('name packages of the workspace, and every published package was announced once', () => {
    // A release without a changeset only follows another package's.
    const releases = releasesIn(folder).filter(({ changesets }) => changesets.length > 0);
    const announced = new Set(releases.map((release) => release.name));
    const unknown = publishablePackages()
      .filter(
        ({ folder: each, manifest }) => !announced.has(manifest.name) && !exists(`${each}/CHANGELOG.md`),
      )
      .map(({ manifest }) => manifest.name);
    assert.deepEqual(unknown, [], 'a new package needs a line in a file of .changeset/');
  });
});
