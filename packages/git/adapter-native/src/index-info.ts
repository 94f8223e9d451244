import type { Leaf } from '@cleveragents/git-domain';
import { nulTerminated } from './nul-records.ts';
import type { PrivateIndex } from './private-index.ts';

export interface IndexSetting {
  readonly path: string;
  /** Null: the path has no entry. */
  readonly leaf: Leaf | null;
  /** 0 unless given. */
  readonly stage?: 0 | 1 | 2 | 3;
}

/** Sets entries without a look at files; what an entry needs as a folder or as a file makes way. */
export async function setEntries(index: PrivateIndex, settings: readonly IndexSetting[]): Promise<void> {
  if (settings.length === 0) return;
  const idDigits = settings.find(({ leaf }) => leaf !== null)?.leaf?.id.length ?? 40;
  const lines = settings.map(({ path, leaf, stage = 0 }) =>
    leaf === null
      ? `0 ${'0'.repeat(idDigits)}\t${path}`
      : `${leaf.mode} ${leaf.id} ${stage.toString()}\t${path}`,
  );
  await index.run(['update-index', '-z', '--add', '--replace', '--index-info'], {
    input: nulTerminated(lines),
  });
}

/** Looks at every file whose stat is not the index's: what is the same is known by its stat from then on. */
export async function refresh(index: PrivateIndex): Promise<void> {
  // 1: some files are not as the index says
  await index.run(['update-index', '-q', '--refresh'], { answers: [0, 1] });
}

/** More paths than that are found slower one by one than all files are looked at. */
const MOST_PATHS = 200;

/** As `refresh`, for these paths alone. */
export async function refreshFiles(index: PrivateIndex, paths: readonly string[]): Promise<void> {
  if (paths.length > MOST_PATHS) return await refresh(index);
  if (paths.length === 0) return;
  await index.run(['add', '--refresh', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    input: nulTerminated(paths),
  });
}

/** Paths of the index whose files are not as it says; those of submodules never are. */
export function listDiffering(index: PrivateIndex): Promise<readonly string[]> {
  return index.records(['diff-files', '-z', '--name-only', '--no-renames', '--ignore-submodules=all']);
}
