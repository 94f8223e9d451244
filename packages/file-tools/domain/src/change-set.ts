import type { ChangeEntry, ChangeOperation } from './change-set.schema.ts';

/** One side of a change: the file as it is on disk. */
export interface FileState {
  /** `null` for a file too large to hash. */
  readonly hash: string | null;
  readonly mode: number;
  readonly size: number;
}

/** What happened to one path between two looks at it, or `undefined` when nothing did. */
export function detectOperation(
  before: FileState | undefined,
  after: FileState | undefined,
): ChangeOperation | undefined {
  if (before === undefined) return after === undefined ? undefined : 'create';
  if (after === undefined) return 'delete';
  return isSameState(before, after) ? undefined : 'modify';
}

function isSameState(one: FileState, other: FileState): boolean {
  // Without hashes nobody can tell; then a change is assumed rather than hidden.
  return one.hash !== null && one.hash === other.hash && one.mode === other.mode;
}

export function changeEntry(
  path: string,
  before: FileState | undefined,
  after: FileState | undefined,
  { toolName, at }: Pick<ChangeEntry, 'toolName' | 'at'>,
): ChangeEntry | undefined {
  const operation = detectOperation(before, after);
  if (operation === undefined) return undefined;
  return {
    path,
    operation,
    beforeHash: before?.hash ?? null,
    afterHash: after?.hash ?? null,
    beforeMode: before?.mode ?? null,
    afterMode: after?.mode ?? null,
    sizeBefore: before?.size ?? null,
    sizeAfter: after?.size ?? null,
    toolName,
    at,
  };
}

/**
 * What the log comes to, one entry a path, sorted by path: first state before, last state after. What was created and
 * deleted, or changed and changed back, is not in it.
 */
export function netChanges(entries: readonly ChangeEntry[]): readonly ChangeEntry[] {
  const byPath = new Map<string, ChangeEntry>();
  for (const entry of entries) {
    const earlier = byPath.get(entry.path);
    byPath.set(entry.path, earlier === undefined ? entry : composed(earlier, entry));
  }
  return [...byPath.values()]
    .flatMap((entry) => changeEntry(entry.path, stateBefore(entry), stateAfter(entry), entry) ?? [])
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** The second change after the first, as one; its operation is only right once looked at again. */
function composed(first: ChangeEntry, second: ChangeEntry): ChangeEntry {
  const { beforeHash, beforeMode, sizeBefore } = first;
  return { ...second, beforeHash, beforeMode, sizeBefore };
}

function stateBefore({ beforeHash, beforeMode, sizeBefore }: ChangeEntry): FileState | undefined {
  return sizeBefore === null ? undefined : { hash: beforeHash, mode: beforeMode ?? 0, size: sizeBefore };
}

function stateAfter({ afterHash, afterMode, sizeAfter }: ChangeEntry): FileState | undefined {
  return sizeAfter === null ? undefined : { hash: afterHash, mode: afterMode ?? 0, size: sizeAfter };
}

export const NO_CHANGES = 'No changes recorded';
const OPERATIONS: readonly ChangeOperation[] = ['create', 'modify', 'delete'];

/** For people: the total and each operation's count. */
export function summarise(entries: readonly ChangeEntry[]): string {
  if (entries.length === 0) return NO_CHANGES;
  const counts = OPERATIONS.map(
    (operation) => [operation, entries.filter((entry) => entry.operation === operation).length] as const,
  );
  const told = counts.filter(([, count]) => count > 0).map(([operation, count]) => `${count} ${operation}`);
  return `${entries.length} ${entries.length === 1 ? 'change' : 'changes'} recorded: ${told.join(', ')}`;
}

/** One difference between a tree and what it began as; `hash` is `null` where the file is gone. */
export interface TreeChange {
  readonly path: string;
  readonly hash: string | null;
}

export interface UnattributedChange {
  readonly path: string;
  /**
   * `unrecorded`: no tool touched it. `altered`: it is not as the last tool left it. `undone`: a tool changed it, and the
   * tree shows no change.
   */
  readonly kind: 'unrecorded' | 'altered' | 'undone';
}

/** What the change set does not explain: what a shell, a hook or a person did. Sorted by path. */
export function unattributedChanges(
  entries: readonly ChangeEntry[],
  tree: readonly TreeChange[],
): readonly UnattributedChange[] {
  const explained = new Map(netChanges(entries).map((entry) => [entry.path, entry]));
  const shown = new Set(tree.map(({ path }) => path));
  const inTree = tree.flatMap(({ path, hash }): UnattributedChange[] => {
    const entry = explained.get(path);
    if (entry === undefined) return [{ path, kind: 'unrecorded' }];
    return entry.afterHash === hash ? [] : [{ path, kind: 'altered' }];
  });
  const undone = [...explained.keys()]
    .filter((path) => !shown.has(path))
    .map((path): UnattributedChange => ({ path, kind: 'undone' }));
  return [...inTree, ...undone].sort((one, other) => (one.path < other.path ? -1 : 1));
}
