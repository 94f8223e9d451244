import {
  comparePaths,
  type Leaf,
  type LeafMode,
  type ObjectId,
  parseObjectId,
} from '@cleveragents/git-domain';
import type { MergeConflictFact, MergeRequest, MergeResult } from '@cleveragents/git-ports';
import { setEntries } from './index-info.ts';
import type { NativeRepository, WorktreeRepository } from './native-repository.ts';
import { nulRecords } from './nul-records.ts';
import { withPrivateIndex } from './private-index.ts';
import type { Deadline } from './shared-parts.ts';

/** Merges with `git merge-tree`. Null when the two have no common ancestor, which needs a base to be given. */
export async function mergeByGit(
  repository: NativeRepository,
  { ours, theirs, labels }: MergeRequest,
  deadline: Deadline,
): Promise<MergeResult | null> {
  const { git, layout } = repository;
  const call = { place: layout, deadline };
  const bases = await git.run({ ...call, args: ['merge-base', '--all', ours, theirs], answers: [0, 1] });
  const found = bases.stdout.toString('latin1').split('\n').filter(Boolean);
  if (found.length === 0) return null;
  if (found.includes(theirs)) return { kind: 'up-to-date' };
  if (found.includes(ours)) return { kind: 'fast-forward' };
  const args = ['merge-tree', '--write-tree', '-z', '--messages', ours, theirs];
  const { stdout, exitCode } = await git.run({ ...call, args, answers: [0, 1] });
  const merge = parseMergeTree(nulRecords(stdout));
  if (exitCode === 0) return { kind: 'clean', tree: merge.tree };
  const { workTree } = layout;
  if (workTree === null) return { kind: 'conflicts', conflicts: merge.conflicts, markedTree: merge.tree };
  const names = new Map<string, string>([
    [ours, labels.ours],
    [theirs, labels.theirs],
  ]);
  const renamed = await rename({ ...repository, layout: { ...layout, workTree } }, merge, {
    names,
    deadline,
  });
  return { kind: 'conflicts', ...renamed };
}

interface ParsedMerge {
  readonly tree: ObjectId;
  readonly conflicts: readonly MergeConflictFact[];
}

/** `<tree>`, `<mode> <id> <stage>\t<path>` each, an empty record, then messages: `<count> <path>... <type> <text>`. */
export function parseMergeTree(records: readonly string[]): ParsedMerge {
  const [tree = '', ...rest] = records;
  const end = rest.indexOf('');
  const stages = rest.slice(0, end < 0 ? rest.length : end).map(parseStage);
  const messages = end < 0 ? [] : [...parseMessages(rest.slice(end + 1))];
  const paths = [...new Set(stages.map(({ path }) => path))].sort(comparePaths);
  const at = (path: string, stage: number): Leaf | null =>
    stages.find((one) => one.path === path && one.stage === stage)?.leaf ?? null;
  const conflicts = paths.map((path): MergeConflictFact => {
    const about = messages.filter(({ paths }) => paths.includes(path));
    const message = about.find(({ type }) => isConflict(type));
    return {
      path,
      kind: kindOf(about),
      base: at(path, 1),
      ours: at(path, 2),
      theirs: at(path, 3),
      detail: (message?.text ?? `both sides changed ${path}.`).trim().replace(/^CONFLICT \([^)]*\): /, ''),
    };
  });
  return { tree: parseObjectId(tree), conflicts };
}

function parseStage(record: string): { readonly path: string; readonly stage: number; readonly leaf: Leaf } {
  const [mode, id, stage] = (record.split('\t', 1)[0] ?? '').split(' ');
  const path = record.slice(record.indexOf('\t') + 1);
  return { path, stage: Number(stage), leaf: { mode: mode as LeafMode, id: id as ObjectId } };
}

interface Message {
  readonly paths: readonly string[];
  readonly type: string;
  readonly text: string;
}

function* parseMessages(records: readonly string[]): Generator<Message> {
  for (let at = 0; at < records.length;) {
    const count = Number(records[at]);
    const paths = records.slice(at + 1, at + 1 + count);
    yield { paths, type: records[at + 1 + count] ?? '', text: records[at + 2 + count] ?? '' };
    at += count + 3;
  }
}

function isConflict(type: string): boolean {
  return type.startsWith('CONFLICT');
}

const KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/binary/, 'binary'],
  [/\(add\/add\)/, 'add/add'],
  [/modify\/delete/, 'modify/delete'],
  [/rename\/delete/, 'rename/delete'],
  [/rename\/rename/, 'rename/rename'],
  [/file\/directory/, 'file/directory'],
  [/directory rename/, 'directory-rename'],
  [/submodule/, 'submodule'],
  [/distinct (?:modes|types)|mode/, 'link'],
];

function kindOf(messages: readonly Message[]): string {
  const said = messages.map(({ type, text }) => `${type} ${text.split(':', 1)[0] ?? ''}`).join('\n');
  return KINDS.find(([pattern]) => pattern.test(said))?.[1] ?? 'content';
}

/** Git was given ids, and wrote them where people expect names: in markers, in names of files, in sentences. */
async function rename(
  repository: WorktreeRepository,
  { tree, conflicts }: ParsedMerge,
  { names, deadline }: { readonly names: ReadonlyMap<string, string>; readonly deadline: Deadline },
): Promise<{ readonly conflicts: readonly MergeConflictFact[]; readonly markedTree: ObjectId }> {
  const { git, layout, objects } = repository;
  const inText = (text: string): string =>
    [...names].reduce((result, [id, name]) => result.replaceAll(id, name), text);
  const inPath = (path: string): string =>
    [...names].reduce(
      (result, [id, name]) => result.replaceAll(`~${id}`, `~${name.replaceAll('/', '_')}`),
      path,
    );
  const renamed = conflicts.map((fact) => ({
    ...fact,
    path: inPath(fact.path),
    detail: inText(fact.detail),
  }));
  const markedTree = await withPrivateIndex(git, layout, { from: 'nothing', deadline }, async (index) => {
    await index.run(['read-tree', '--no-recurse-submodules', tree]);
    const concerned = new Set(conflicts.map(({ path }) => path));
    for (const record of await index.records(['ls-files', '-z', '--stage'])) {
      const { path, leaf } = parseStage(record);
      if (!concerned.has(path) || leaf.mode === '160000') continue;
      const bytes = await objects.readBlob(leaf.id);
      const marked = withNames(bytes, names);
      const id = marked === null ? leaf.id : await objects.writeBlob(marked);
      if (id === leaf.id && inPath(path) === path) continue;
      await setEntries(index, [
        { path, leaf: null },
        { path: inPath(path), leaf: { mode: leaf.mode, id } },
      ]);
    }
    return parseObjectId((await index.run(['write-tree', '--missing-ok'])).toString('latin1').trim());
  });
  return { conflicts: renamed, markedTree };
}

/** Null when the file has no such marker. */
function withNames(bytes: Buffer, names: ReadonlyMap<string, string>): Buffer | null {
  const text = bytes.toString('latin1');
  let changed = text;
  for (const [id, name] of names) {
    const marker = new RegExp(`^([<>|]{3,} )${id}(?=[:\\r\\n]|$)`, 'gm');
    changed = changed.replace(marker, (_whole, mark: string) => mark + Buffer.from(name).toString('latin1'));
  }
  return changed === text ? null : Buffer.from(changed, 'latin1');
}
