import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import type { GitEngine, PathFacts, WorktreeHost } from '@cleveragents/git-ports';
import { commitFiles, fsck, git, makeRepository, revision } from '@cleveragents/shared-testing/real-git';
import { addWorktree, BRANCH, labels, MAIN } from './both-engines.ts';
import { layOut, type ProjectTree, put } from './project-trees.ts';

/** A project, what its branch gained, what an agent made of it, and what the user has not committed. */
export interface Play {
  readonly base: ProjectTree;
  readonly ours: ProjectTree;
  readonly theirs: ProjectTree;
  readonly uncommitted: ProjectTree;
  readonly stages: boolean;
}

/** Everything that an engine says, and all that it leaves, in the course of a plan. */
export async function play(engine: GitEngine, folder: string, scene: Play): Promise<unknown> {
  mkdirSync(folder);
  const root = makeRepository(join(folder, 'project'));
  layOut(root, scene.base);
  const base = commitFiles(root, {}, 'base');
  const host = await engine.open(root);
  const worktree = await addWorktree(host, folder, base);
  const created = lookAt(worktree.path);
  layOut(worktree.path, scene.theirs);
  const captured = await worktree.capture();
  const identity = await host.readIdentity();
  const message = 'plan\n';
  const theirs = await host.objects.writeCommit({
    tree: captured.tree,
    parents: [base],
    ...identity,
    message,
  });
  await worktree.record(theirs, { name: BRANCH, expected: base }, 'commit: plan');
  const recorded = lookAt(worktree.path);
  layOut(root, scene.ours);
  commitFiles(root, {}, 'ours');
  for (const [path, file] of Object.entries(scene.uncommitted)) put(root, path, file);
  if (scene.stages) git(root, 'add', Object.keys(scene.uncommitted)[0] ?? '.');
  const uncommitted = await host.listUncommitted();
  const merged = await mergeAndApply(host, root, { base, theirs });
  await worktree.restore(base, BRANCH);
  const restored = lookAt(worktree.path);
  const removal = { path: worktree.path, gitDirectory: worktree.gitDirectory };
  const removed = await host.removeWorktree({ ...removal, branch: { name: BRANCH, expected: base } });
  const left = {
    root: lookAt(root),
    fsck: fsck(root),
    worktrees: git(root, 'worktree', 'list', '--porcelain'),
  };
  const all = { created, captured, theirs, recorded, uncommitted, ...merged, restored, removed, left };
  return JSON.parse(JSON.stringify(all).replaceAll(folder, '<folder>'));
}

type Ids = Readonly<Record<'base' | 'theirs', ReturnType<typeof revision>>>;

async function mergeAndApply(host: WorktreeHost, root: string, { base, theirs }: Ids): Promise<object> {
  const tip = revision(root, 'HEAD');
  const merge = await host.merge({ ours: tip, theirs, fallbackBase: base, labels });
  if (merge.kind === 'conflicts' || merge.kind === 'up-to-date') return { merge };
  const identity = await host.readIdentity();
  const to =
    merge.kind === 'fast-forward'
      ? theirs
      : await host.objects.writeCommit({
          tree: merge.tree,
          parents: [tip, theirs],
          ...identity,
          message: 'merge\n',
        });
  const treeOf = async (id: ObjectId): Promise<ObjectId> => (await host.objects.readCommit(id)).tree;
  const changes = await host.compareTrees(await treeOf(tip), await treeOf(to));
  const patch = Buffer.from(await host.formatPatch(await treeOf(base), await treeOf(theirs))).toString();
  const update = await host.beginBranchUpdate({ branch: MAIN, from: tip, to, message: 'merge' });
  const { facts } = update;
  if (!facts.every(isHarmless)) {
    const refusal = await update.apply().then(
      () => 'none',
      (error: { code?: string }) => error.code,
    );
    return { merge, to, changes, facts, refusal, patch };
  }
  await update.apply();
  return { merge, to, changes, facts, patch };
}

function isHarmless({ index, disk, before }: PathFacts): boolean {
  return (before === null ? 'absent' : 'before') === index && disk === index;
}

/** Files, index, and what git says of them. */
function lookAt(root: string): unknown {
  const files: Record<string, string> = {};
  collect(root, '', files);
  const status = git(root, '--no-optional-locks', 'status', '--porcelain', '--branch');
  return {
    files,
    status,
    index: git(root, 'ls-files', '--stage'),
    head: git(root, 'reflog', '--format=%H %gs'),
  };
}

function collect(folder: string, below: string, files: Record<string, string>): void {
  for (const name of readdirSync(join(folder, below)).sort()) {
    if (name === '.git') continue;
    const path = below === '' ? name : `${below}/${name}`;
    const stat = lstatSync(join(folder, path));
    if (stat.isDirectory()) {
      files[`${path}/`] = '';
      collect(folder, path, files);
    } else if (stat.isSymbolicLink()) files[path] = `link ${readlinkSync(join(folder, path))}`;
    else files[path] = `${(stat.mode & 0o777).toString(8)} ${readFileSync(join(folder, path), 'latin1')}`;
  }
}
