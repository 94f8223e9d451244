import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { EMPTY_TREE_ID, type ObjectId, parseObjectId } from '@cleveragents/git-domain';
import type { LinkedWorktree, WorktreeHost } from '@cleveragents/git-ports';
import {
  commitFiles,
  fsck,
  git,
  GIT_ENVIRONMENT,
  makeProject,
  makeRepository,
  revision,
  write,
} from '@cleveragents/shared-testing/real-git';
import { IsomorphicEngine } from '../src/isomorphic-engine.ts';

let folder: string;
let root: string;
const engine = new IsomorphicEngine({ environment: GIT_ENVIRONMENT });
beforeEach(() => {
  ({ folder, root } = makeProject());
});
const missing = parseObjectId('12'.repeat(20));
const branch = 'refs/heads/cleveragents/plan-x';

function addWorktree(host: WorktreeHost, commit: ObjectId): Promise<LinkedWorktree> {
  const owner = { planId: 'x', sandboxId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };
  return host.addWorktree({ path: join(folder, 'sandbox'), branch, commit, owner });
}

/** Commits what the worktree holds, as a sandbox does. */
async function commitWorktree(
  host: WorktreeHost,
  worktree: LinkedWorktree,
  base: ObjectId,
): Promise<ObjectId> {
  const { tree } = await worktree.capture();
  const commit = await host.objects.writeCommit({
    tree,
    parents: [base],
    ...(await host.readIdentity()),
    message: 'by an agent\n',
  });
  await worktree.record(commit, { name: branch, expected: base }, 'commit: by an agent');
  return commit;
}

describe('inspecting', () => {
  it('tells where a repository is and where its HEAD stands', async () => {
    const head = commitFiles(root, { 'deep/file': 'x' });
    git(root, 'worktree', 'add', '-q', '--detach', '../linked');
    expect(await engine.inspect(join(root, 'deep'))).toEqual({
      workTree: root,
      gitDirectory: join(root, '.git'),
      commonDirectory: join(root, '.git'),
      head: { branch: 'refs/heads/main', commit: head },
      operationInProgress: null,
      unsupported: [],
      notes: [],
    });
    expect(await engine.inspect(join(folder, 'linked'))).toMatchObject({
      workTree: join(folder, 'linked'),
      gitDirectory: join(root, '.git/worktrees/linked'),
      commonDirectory: join(root, '.git'),
      head: { branch: null, commit: head },
    });
  });

  it('finds nothing where there is no repository', async () => {
    expect(await engine.inspect(folder)).toBeNull();
    expect(await engine.inspect(join(folder, 'missing'))).toBeNull();
  });

  it('describes a repository that it refuses, as far as it can be read', async () => {
    const other = makeRepository(join(folder, 'other'), '--object-format=sha256');
    git(other, 'commit', '-q', '--allow-empty', '-m', 'x');
    git(other, 'checkout', '-q', '--detach');
    expect(await engine.inspect(other)).toMatchObject({
      head: { branch: null, commit: git(other, 'rev-parse', 'HEAD') },
      unsupported: [{ feature: 'sha256' }],
    });
  });

  it('pays no attention to the variables that tell git where to look', async () => {
    const elsewhere = makeRepository(join(folder, 'elsewhere'));
    const misled = { ...GIT_ENVIRONMENT, GIT_DIR: join(elsewhere, '.git'), GIT_WORK_TREE: elsewhere };
    const facts = await new IsomorphicEngine({ environment: misled }).inspect(root);
    expect(facts?.gitDirectory).toBe(join(root, '.git'));
  });

  it('writes nothing', async () => {
    commitFiles(root, { file: 'x' });
    await engine.open(root);
    expect(existsSync(join(root, '.git/cleveragents'))).toBe(false);
  });
});

describe('opening', () => {
  it('refuses what is no repository', async () => {
    await expect(engine.open(folder)).rejects.toMatchObject({ code: 'GIT_NOT_A_REPOSITORY' });
  });

  it('refuses what it cannot do, names each feature, and says the way out', async () => {
    git(root, 'config', 'core.autocrlf', 'input');
    git(root, 'config', 'commit.gpgsign', 'true');
    await expect(engine.open(root)).rejects.toMatchObject({
      code: 'GIT_UNSUPPORTED_REPOSITORY',
      data: { features: ['autocrlf', 'commit-signing'] },
      hint: expect.stringContaining('native engine'),
    });
  });
});

describe('a host', () => {
  it('reads and moves refs, but to no object that is not there', async () => {
    const head = commitFiles(root, { file: 'x' });
    const host = await engine.open(root);
    expect([await host.readHead(), await host.readRef('refs/heads/main')]).toEqual([
      { branch: 'refs/heads/main', commit: head },
      head,
    ]);
    const update = { name: 'refs/cleveragents/rescue/x', expected: null, message: '' };
    await expect(host.updateRef({ ...update, target: missing })).rejects.toMatchObject({
      code: 'GIT_OBJECT_MISSING',
    });
    await host.updateRef({ ...update, target: head });
    expect(await host.listRefs('refs/cleveragents')).toEqual([{ name: update.name, target: head }]);
    await host.deleteRef(update.name, head);
    expect(git(root, 'for-each-ref', 'refs/cleveragents')).toBe('');
  });

  it('sees a changed identity and a changed ignore file without being opened anew', async () => {
    commitFiles(root, { file: 'x' });
    const { GIT_AUTHOR_NAME: _, ...environment } = GIT_ENVIRONMENT;
    const host = await new IsomorphicEngine({ environment }).open(root);
    git(root, 'config', 'user.name', 'Later');
    expect((await host.readIdentity()).author.name).toBe('Later');
    write(root, 'untracked', 'x');
    expect(await host.listUncommitted()).toEqual([{ path: 'untracked', staged: false, kind: 'untracked' }]);
    write(root, '.git/info/exclude', 'untracked\n');
    expect(await host.listUncommitted()).toEqual([]);
  });

  it('ends long reading when its time is up', async () => {
    const head = commitFiles(
      root,
      Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${at}/file`, `${at}`])),
    );
    const host = await engine.open(root, { timeoutMs: 0 });
    const tree = revision(root, `${head}^{tree}`);
    await expect(host.compareTrees(EMPTY_TREE_ID, tree)).rejects.toMatchObject({ code: 'GIT_TIMEOUT' });
    const signal = AbortSignal.abort();
    const request = { ours: head, theirs: head, fallbackBase: head, labels: { ours: 'a', theirs: 'b' } };
    await expect((await engine.open(root)).merge(request, { signal })).rejects.toMatchObject({
      code: 'GIT_ABORTED',
    });
  });

  it('carries an agent’s work from a worktree into the branch, and git agrees at every step', async () => {
    const base = commitFiles(root, { 'a.txt': 'one\n', 'dir/b.txt': 'two\n', 'c.txt': 'three\n' });
    const host = await engine.open(root);
    const worktree = await addWorktree(host, base);
    expect(git(worktree.path, 'status', '--porcelain', '--branch')).toBe('## cleveragents/plan-x');
    write(worktree.path, 'a.txt', 'one, changed\n');
    write(worktree.path, 'new/file.txt', 'new\n');
    git(worktree.path, 'rm', '-q', 'dir/b.txt');
    const theirs = await commitWorktree(host, worktree, base);
    expect(git(worktree.path, 'status', '--porcelain')).toBe('');
    const ours = commitFiles(root, { 'c.txt': 'three, changed\n' });

    const labels = { ours: 'main', theirs: 'plan-x' };
    const merged = await host.merge({ ours, theirs, fallbackBase: base, labels });
    if (merged.kind !== 'clean') throw new Error(merged.kind);
    expect(merged.tree).toBe(git(root, 'merge-tree', '--write-tree', ours, theirs));
    const to = await host.objects.writeCommit({
      tree: merged.tree,
      parents: [ours, theirs],
      ...(await host.readIdentity()),
      message: 'Merge plan x\n',
    });
    const update = await host.beginBranchUpdate({
      branch: 'refs/heads/main',
      from: ours,
      to,
      message: 'merge plan x',
    });
    expect(update.facts.map(({ path, index, disk }) => `${path} ${index} ${disk}`)).toEqual([
      'a.txt before before',
      'dir/b.txt before before',
      'new/file.txt absent absent',
    ]);
    await update.apply();
    expect(git(root, 'status', '--porcelain', '--branch')).toBe('## main');
    expect(git(root, 'log', '--format=%s', '--first-parent')).toBe('Merge plan x\na commit\na commit');
    expect(git(root, 'ls-files')).toBe('a.txt\nc.txt\nnew/file.txt');
    expect((await host.listCommits(base, to, 10)).map(({ id }) => id)).toEqual(
      git(root, 'rev-list', `${base}..main`).split('\n'),
    );
    expect(await host.isAncestor(theirs, to)).toBe(true);

    const { gitDirectory } = worktree;
    const result = await host.removeWorktree({
      path: worktree.path,
      gitDirectory,
      branch: { name: branch, expected: theirs },
    });
    expect(result).toEqual({ worktreeRemoved: true, branchDeleted: true, leftOver: [] });
    expect(git(root, 'worktree', 'list', '--porcelain').split('\n\n')).toHaveLength(1);
    expect(git(root, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
    expect(fsck(root)).toBe('');
    expect(await host.recover()).toEqual({ actions: [] });
  });

  it.each([
    ['merge', '<<<<<<< main'],
    ['diff3', '||||||| '],
  ])('marks conflicts in the style %s', async (style, mark) => {
    git(root, 'config', 'merge.conflictStyle', style);
    const base = commitFiles(root, { file: 'base\n' });
    const ours = commitFiles(root, { file: 'ours\n' });
    git(root, 'checkout', '-q', '--detach', base);
    const theirs = commitFiles(root, { file: 'theirs\n' });
    const host = await engine.open(root);
    const labels = { ours: 'main', theirs: 'plan-x' };
    const merged = await host.merge({ ours, theirs, fallbackBase: base, labels });
    if (merged.kind !== 'conflicts') throw new Error(merged.kind);
    expect(merged.conflicts).toMatchObject([{ path: 'file', kind: 'content' }]);
    expect(git(root, 'cat-file', 'blob', `${merged.markedTree}:file`)).toContain(mark);
    expect(await host.merge({ ours, theirs: base, fallbackBase: base, labels })).toEqual({
      kind: 'up-to-date',
    });
    expect(await host.merge({ ours: base, theirs, fallbackBase: base, labels })).toEqual({
      kind: 'fast-forward',
    });
  });
});
