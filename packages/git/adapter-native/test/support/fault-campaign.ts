import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ObjectId } from '@cleveragents/git-domain';
import { type FaultKind, type FaultReport, forEachFaultPoint } from '@cleveragents/shared-testing';
import {
  commitFiles,
  fsck,
  git,
  makeRepository,
  removeFolder,
  temporaryFolder,
  write,
} from '@cleveragents/shared-testing/real-git';
import { addWorktree, BRANCH, MAIN, native } from './both-engines.ts';
import type { OperationRequests } from './operation-script.ts';

const SCRIPT = fileURLToPath(new URL('./operation-script.ts', import.meta.url));

/** A repository with a filter, in which somebody has work of their own, just before an operation. */
export interface Scene {
  readonly folder: string;
  readonly root: string;
  readonly operation: keyof OperationRequests;
  readonly request: OperationRequests[keyof OperationRequests];
  /** What the operation must leave as it was when it failed and undid itself. */
  readonly undoesItself: boolean;
}

interface Ground {
  readonly folder: string;
  readonly root: string;
  readonly base: ObjectId;
  readonly work: ObjectId;
}

function makeGround(): Ground {
  const folder = temporaryFolder();
  const root = makeRepository(join(folder, 'project'));
  for (const way of ['clean', 'smudge']) git(root, 'config', `filter.turn.${way}`, 'tr a-z n-za-m');
  git(root, 'update-index', '--index-version', '4');
  const base = commitFiles(root, {
    '.gitattributes': '*.txt filter=turn\n',
    '.gitignore': '/cache/\n',
    'modify.txt': 'old\n',
    'delete.txt': 'to go\n',
    'untouched.txt': 'as committed\n',
    'becomes-file/inner.txt': 'inner\n',
    'becomes-folder.txt': 'a file\n',
  });
  git(root, 'checkout', '-q', '-b', 'work');
  for (const path of ['delete.txt', 'becomes-file', 'becomes-folder.txt'])
    rmSync(join(root, path), { recursive: true });
  const work = commitFiles(root, {
    'modify.txt': 'new\n',
    'becomes-file': 'a file now\n',
    'becomes-folder.txt/inner.txt': 'below now\n',
    'added/new.txt': 'new\n',
  });
  git(root, 'checkout', '-q', 'main');
  write(root, 'untouched.txt', 'edited and not committed\n');
  write(root, 'notes.txt', 'untracked\n');
  write(root, 'cache/big.txt', 'ignored\n');
  return { folder, root, base, work };
}

export const SCENES: Readonly<Record<string, () => Promise<Scene>>> = {
  'the update of a branch': async () => {
    const { folder, root, base, work } = makeGround();
    const request = { branch: MAIN, from: base, to: work, message: 'merge work: Fast-forward' };
    return { folder, root, operation: 'update', request, undoesItself: true };
  },
  'the making of a worktree': async () => {
    const { folder, root, base } = makeGround();
    const owner = { planId: 'x', sandboxId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };
    const request = { path: join(folder, 'sandbox'), branch: BRANCH, commit: base, owner };
    return { folder, root, operation: 'add', request, undoesItself: true };
  },
  'the restoring of a worktree': async () => {
    const { folder, root, base, work } = makeGround();
    const host = await native().open(root);
    const { path, gitDirectory } = await addWorktree(host, folder, base);
    write(path, 'modify.txt', 'by the agent\n');
    write(path, 'agent/new.txt', 'by the agent\n');
    write(path, 'cache/kept.txt', 'ignored\n');
    git(path, 'add', 'modify.txt');
    const request = { path, gitDirectory, commit: work, branch: BRANCH };
    return { folder, root, operation: 'restore', request, undoesItself: false };
  },
};

/** Strikes the operation at its calls, and looks each time at what it left and at what recovery makes of that. */
export function runCampaign(
  build: () => Promise<Scene>,
  campaign: { readonly kinds: readonly FaultKind[]; readonly sample?: number },
): Promise<FaultReport> {
  let after: unknown;
  return forEachFaultPoint<{ readonly scene: Scene; readonly before: unknown }>({
    script: SCRIPT,
    ...campaign,
    prepare: async () => {
      const scene = await build();
      return { scene, before: pictureOf(scene) };
    },
    scene: ({ scene: { root, folder, operation, request } }) => ({
      arguments: [root, operation, JSON.stringify(request)],
      roots: [folder],
    }),
    verify: async ({ scene, before }, point, outcome) => {
      if (point.kind === 'none') {
        assert.equal(JSON.parse(outcome.stdout).ok, true, outcome.stdout + outcome.stderr);
        after = pictureOf(scene);
        assert.notDeepEqual(after, before, 'the operation changes nothing');
        return;
      }
      const lived = !point.kind.startsWith('kill');
      const result = lived ? JSON.parse(outcome.stdout) : { ok: false };
      const isUndone = lived && !result.ok && scene.undoesItself && result.data?.undone !== false;
      if (isUndone) assert.deepEqual(pictureOf(scene), before, outcome.stdout);
      await verifyRecovery(scene, { before: result.ok ? after : before, after }, point.kind);
    },
    dispose: async ({ scene }) => removeFolder(scene.folder),
  });
}

async function verifyRecovery(
  scene: Scene,
  { before, after }: { readonly before: unknown; readonly after: unknown },
  kind: string,
): Promise<void> {
  const host = await native().open(scene.root);
  const { actions } = await host.recover();
  const said = `${kind}: ${JSON.stringify(actions)}`;
  assert.ok(!actions.some(({ outcome }) => outcome === 'blocked'), said);
  const now = pictureOf(scene);
  try {
    assert.deepEqual(now, before);
  } catch {
    assert.deepEqual(now, after, `neither as before nor as after: ${said}`);
  }
  assert.equal(fsck(scene.root), '');
  assert.deepEqual(await host.recover(), { actions: [] });
}

/** Every file of the user's and of the worktrees, and what git says of them. */
function pictureOf({ folder, root }: Scene): unknown {
  const files: Record<string, string> = {};
  collect(folder, '', files);
  const worktrees = git(root, 'worktree', 'list', '--porcelain');
  const states = [...worktrees.matchAll(/^worktree (.*)$/gm)].map(([, path = '']) =>
    git(path, '--no-optional-locks', 'status', '--porcelain', '--branch', '--ignored'),
  );
  const refs = git(root, 'for-each-ref', '--format=%(refname) %(objectname)');
  const picture = { files, worktrees, states, refs, index: git(root, 'ls-files', '-s') };
  return JSON.parse(JSON.stringify(picture).replaceAll(folder, '<folder>'));
}

function collect(folder: string, below: string, files: Record<string, string>): void {
  for (const name of readdirSync(join(folder, below))) {
    const path = below === '' ? name : `${below}/${name}`;
    const stat = lstatSync(join(folder, path));
    if (name === '.git') continue;
    if (stat.isDirectory()) collect(folder, path, files);
    else
      files[path] = stat.isSymbolicLink()
        ? readlinkSync(join(folder, path))
        : readFileSync(join(folder, path), 'latin1');
  }
}
