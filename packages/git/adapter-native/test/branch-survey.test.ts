import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diffTrees } from '@cleveragents/git-domain';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  commitFiles,
  git,
  GIT_ENVIRONMENT,
  makeRepository,
  temporaryFolder,
} from '@cleveragents/shared-testing/real-git';
import { advanceIndex } from '../src/branch-survey.ts';
import { Git } from '../src/git.ts';
import { NativeObjectStore } from '../src/native-object-store.ts';
import type { WorktreeRepository } from '../src/native-repository.ts';
import { GitConfig, RefStore } from '../src/shared-parts.ts';

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

async function open(root: string): Promise<WorktreeRepository> {
  const gitDirectory = join(root, '.git');
  const layout = { workTree: root, gitDirectory, commonDirectory: gitDirectory };
  const environment = GIT_ENVIRONMENT;
  const config = await GitConfig.load(layout, environment);
  const installed = new Git({ environment });
  return {
    layout,
    config,
    environment,
    timeoutMs: 30_000,
    git: installed,
    mergesByGit: false,
    runsHooks: false,
    refs: new RefStore({ layout, config, environment }),
    objects: new NativeObjectStore({ git: installed, place: layout, timeoutMs: 30_000, signsCommits: false }),
  };
}

describe('an index whose update was cut off', () => {
  it('gets what it lacks, also where a file became a folder and a folder a file', async () => {
    const root = makeRepository(join(folder, 'project'));
    const before = commitFiles(root, { 'folder/inner': 'inner\n', file: 'a file\n', same: 's\n' });
    git(root, 'rm', '-rq', 'folder', 'file');
    const after = commitFiles(root, { folder: 'a file now\n', 'file/inner': 'below now\n' });
    git(root, 'reset', '-q', '--mixed', before);
    const repository = await open(root);
    const trees = [before, after].map((commit) => git(root, 'rev-parse', `${commit}^{tree}`));
    const [from, to] = trees as unknown as Parameters<typeof diffTrees>[2][];
    if (from === undefined || to === undefined) throw new Error('two trees were expected');
    const entries = await diffTrees(repository.objects, from, to);
    const bytes = await advanceIndex(repository, repository.layout, entries);
    writeFileSync(join(root, '.git/index'), bytes ?? '');
    expect(git(root, 'write-tree')).toBe(to);
    expect(await advanceIndex(repository, repository.layout, entries)).toBeNull();
  });
});
