import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hermeticGitEnvironment } from '@cleveragents/shared-testing';

const run = promisify(execFile);

export interface Place {
  readonly root: string;
  readonly sandboxes: string;
}

/** All that a user, an agent and git can see of a repository and its sandboxes, the same for the same work at any time. */
export interface Picture {
  /** What no flow may touch at any moment: the user's own files, settings, branches and stash. */
  readonly own: unknown;
  /** The original beside that. */
  readonly original: unknown;
  /** The sandboxes, and the refs that are there for them. */
  readonly sandboxes: unknown;
  /** Work kept under rescue refs, each once. */
  readonly rescued: readonly string[];
  /** What git complains of, and what is left lying about. */
  readonly complaints: readonly string[];
  /** The same value with the same names for what differs from run to run: commits by what they hold. */
  readonly named: (value: unknown) => unknown;
}

const SEPARATOR = '@@@@';

/** Files of the original that each flow leaves alone. */
const OWN_FILES = ['dirty.txt', 'staged.txt', 'notes.txt', 'cache/big.bin', '.env'];
const OWN_REFS = /^refs\/(heads\/feature|stash|tags\/)/;
const OURS = /^refs\/(heads\/)?cleveragents\//;
const RESCUE = /^refs\/cleveragents\/rescue\//;

export async function takePicture(place: Place): Promise<Picture> {
  const { root, sandboxes } = place;
  const said = await askGit(place);
  const { complaints, status, index, worktrees, refs, log, inside } = said;
  const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
  const entries = lines(refs).map((line) => line.split(' ') as [string, string]);
  const named = namesFor(place, log, entries);
  const byName = (wanted: (name: string) => boolean): unknown =>
    Object.fromEntries(entries.filter(([name]) => wanted(name)));
  const files = filesOf(root, ['.git']);
  const isOwn = ([path]: [string, string]): boolean => OWN_FILES.includes(path);
  return {
    own: {
      files: Object.fromEntries(Object.entries(files).filter(isOwn)),
      config: readFileSync(join(root, '.git/config'), 'utf8'),
      head: readFileSync(join(root, '.git/HEAD'), 'utf8'),
      refs: byName((name) => OWN_REFS.test(name)),
    },
    original: named({
      files: Object.fromEntries(Object.entries(files).filter((entry) => !isOwn(entry))),
      status: lines(status),
      index: lines(index),
      refs: byName((name) => !OWN_REFS.test(name) && !OURS.test(name)),
    }),
    sandboxes: named({
      files: filesOf(sandboxes),
      inside: lines(inside),
      refs: byName((name) => OURS.test(name) && !RESCUE.test(name)),
      worktrees: lines(worktrees),
    }),
    rescued: [
      ...new Set(entries.filter(([name]) => RESCUE.test(name)).map(([, id]) => String(named(id)))),
    ].sort(),
    complaints: [...lines(complaints), ...litterIn(join(root, '.git'))],
    named,
  };
}

interface Answers {
  readonly complaints: string;
  readonly status: string;
  readonly index: string;
  readonly worktrees: string;
  readonly refs: string;
  readonly log: string;
  readonly inside: string;
}

async function askGit({ root, sandboxes }: Place): Promise<Answers> {
  const questions = [
    'git fsck --strict --no-dangling --no-progress 2>&1; git worktree prune --dry-run --verbose 2>&1',
    'git status --porcelain=v2 --branch --untracked-files=all --ignored 2>&1',
    'git ls-files --stage -v 2>&1',
    'git worktree list --porcelain 2>&1',
    "git for-each-ref --format='%(refname) %(objectname)' 2>&1",
    "git log --all --topo-order --reverse --format='%H %T [%P] %s' 2>&1",
    'for folder in "$1"/ca-sandbox-*; do test -d "$folder" || continue; echo "$folder"; ' +
      // of a folder that is half made or half removed it has nothing to say
      'git -C "$folder" status --porcelain=v2 --branch --untracked-files=all --ignored 2>&1; done; true',
  ];
  const script = questions.join(`; echo '${SEPARATOR}'; `);
  const { stdout } = await run('sh', ['-c', script, 'sh', sandboxes], {
    cwd: root,
    env: { ...hermeticGitEnvironment(), GIT_OPTIONAL_LOCKS: '0' },
    maxBuffer: 1 << 26,
  });
  const [complaints, status, index, worktrees, refs, log, inside] = stdout.split(`${SEPARATOR}\n`);
  if (inside === undefined) throw new Error(`git did not answer: ${stdout}`);
  return { complaints, status, index, worktrees, refs, log, inside } as Answers;
}

/** Commits are called by their tree, subject and parents: their times differ from run to run. Rescue refs by their commit. */
function namesFor(
  { root, sandboxes }: Place,
  log: string,
  refs: readonly [string, string][],
): (value: unknown) => unknown {
  const names = new Map<string, string>();
  for (const line of log.split('\n')) {
    const [, id = '', tree = '', parents = '', subject = ''] =
      /^([0-9a-f]{40}) ([0-9a-f]{40}) \[(.*?)\] (.*)$/.exec(line) ?? [];
    const facts = [tree, subject, ...parents.split(' ').map((parent) => names.get(parent) ?? parent)];
    names.set(id, `<${subject.replaceAll('"', "'")} ${sha(facts.join('\n'))}>`);
  }
  // which ref keeps rescued work does not matter, only that one does
  for (const [name, id] of refs.toReversed())
    if (RESCUE.test(name)) names.set(name, `<ref of ${names.get(id) ?? id}>`);
  const rename = (text: string): string =>
    text
      .replace(/\b[0-9a-f]{40}\b/g, (id) => names.get(id) ?? id)
      .replace(/refs\/cleveragents\/rescue\/[\w/-]+/g, (name) => names.get(name) ?? name)
      .replaceAll(root, '<original>')
      .replaceAll(sandboxes, '<sandboxes>')
      .replace(/(ca-sandbox-[\w-]+)-[0-9a-f]{8}\b/g, '$1-<random>');
  return (value) => JSON.parse(rename(JSON.stringify(value) ?? 'null')) as unknown;
}

/** Type, permissions and content of each file by path; of a folder in the middle of nothing, its permissions. */
export function filesOf(folder: string, skip: readonly string[] = []): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const visit = (directory: string, prefix: string): void => {
    for (const name of readdirSync(directory).sort()) {
      if (skip.includes(prefix + name)) continue;
      const path = join(directory, name);
      const stat = lstatSync(path);
      const mode = (stat.mode & 0o777).toString(8);
      if (stat.isDirectory()) {
        found[`${prefix}${name}/`] = mode;
        visit(path, `${prefix}${name}/`);
      } else if (stat.isSymbolicLink()) found[prefix + name] = `link ${readlinkSync(path)}`;
      else found[prefix + name] = `${mode} ${describeBytes(readFileSync(path))}`;
    }
  };
  if (existsSync(folder)) visit(folder, '');
  return found;
}

function describeBytes(bytes: Buffer): string {
  const text = bytes.toString();
  return text.length < 400 ? JSON.stringify(text) : sha(text);
}

function sha(text: string): string {
  return createHash('sha1').update(text).digest('hex').slice(0, 10);
}

/** Names below a git folder that nothing of ours may leave behind. */
export function litterIn(gitDirectory: string): readonly string[] {
  const found: string[] = [];
  const visit = (directory: string, prefix: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = prefix + entry.name;
      // our lock of a dead process is a free one, and so is an empty folder
      const isFreeLock = path === 'cleveragents/apply.lock';
      const isLitter =
        /\.lock$|\.wait-/.test(entry.name) ||
        /^\.cleveragents-/.test(entry.name) ||
        /(^|\/)cleveragents-staging\/./.test(path) ||
        /cleveragents\/journal\/./.test(path);
      if (isLitter && !isFreeLock) found.push(path);
      else if (entry.isDirectory()) visit(join(directory, entry.name), `${path}/`);
    }
  };
  visit(gitDirectory, '');
  return found;
}
