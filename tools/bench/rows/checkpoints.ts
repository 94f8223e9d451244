import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Checkout, type Checkpoints, checkpointsOf, PLAN, ShadowIndex } from '../checkpoint-trees.ts';
import type { RepositoryName } from '../repositories.ts';
import type { BenchContext, BenchRow, Contender, RowFile } from '../row.ts';

/** After our own tools wrote: which paths changed is known. */
export const hintedCheckpoints: RowFile = {
  number: 2,
  make: async (context) => {
    const trees = await treesIn(context, 'r10k');
    const large = context.large ? await treesIn(context, 'r50k') : null;
    return [
      captureRow(2, trees, { count: 1, atMost: 0.03, isHinted: true }),
      captureRow(2, trees, { count: 10, atMost: 0.08, isHinted: true }),
      captureRow(2, trees, { count: 100, atMost: 0.25, isHinted: true }),
      ...(large === null ? [] : [captureRow(2, large, { count: 100, atMost: 0.1, isHinted: true })]),
    ];
  },
};

/** After a command: anything may have changed. */
export const scannedCheckpoints: RowFile = {
  number: 3,
  make: async (context) => {
    const names: readonly RepositoryName[] = context.large ? ['r10k', 'r50k'] : ['r10k'];
    const rows: BenchRow[] = [];
    for (const name of names) {
      const trees = await treesIn(context, name);
      rows.push(
        captureRow(3, trees, { count: 10, atMost: 0.9, isHinted: false }),
        ...floorRow(context, trees),
      );
    }
    return rows;
  },
};

export const rollbacks: RowFile = {
  number: 4,
  make: async (context) => {
    const trees = await treesIn(context, 'r10k');
    const large = context.large ? await treesIn(context, 'r50k') : null;
    return [
      rollbackRow(trees, { count: 1, atMost: 0.05, isHinted: true }),
      rollbackRow(trees, { count: 10, atMost: 0.15, isHinted: true }),
      rollbackRow(trees, { count: 100, atMost: 0.5, isHinted: true }),
      rollbackRow(trees, { count: 10, atMost: 1.1, isHinted: false }),
      ...(large === null
        ? []
        : [
            rollbackRow(large, { count: 100, atMost: 0.5, isHinted: true }),
            rollbackRow(large, { count: 10, atMost: 1.1, isHinted: false }),
          ]),
    ];
  },
};

interface Trees {
  readonly name: RepositoryName;
  readonly shadow: ShadowIndex;
  readonly ours: Checkpoints;
}

interface Work {
  readonly count: number;
  readonly atMost: number;
  readonly isHinted: boolean;
}

/** One checkout for each side; both have been looked at twice, so that nothing is read for its times alone. */
async function treesIn(context: BenchContext, name: RepositoryName): Promise<Trees> {
  const shadow = new ShadowIndex(context, new Checkout(context, name));
  const ours = checkpointsOf(new Checkout(context, name));
  for (let look = 0; look < 2; look++) await ours.service.captureCheckpoint({ planId: PLAN });
  shadow.addAll();
  return { name, shadow, ours };
}

const ADD_AND_COMMIT = 'git add --all && git commit-tree -m checkpoint "$(git write-tree)"';

function captureRow(number: number, trees: Trees, { count, atMost, isHinted }: Work): BenchRow {
  const { name, shadow } = trees;
  const { service, checkout, snapshots } = trees.ours;
  let paths: readonly string[] = [];
  let refs: readonly string[] = [];
  return {
    number,
    title: `checkpoint of ${count} changed files, ${isHinted ? 'paths known' : 'full scan'}: ${name}`,
    goal: { metric: 'wall', atMost },
    contenders: [
      {
        name: 'git add -A, write-tree, commit-tree',
        baseline: true,
        prepare: () => void shadow.checkout.edit(count),
        run: (meter) => meter.script(ADD_AND_COMMIT, { cwd: shadow.checkout.root, env: shadow.environment }),
        verify: () =>
          expectNothing(
            shadow.git('status', '--porcelain', '--untracked-files=no').replaceAll(/^M .*$/gm, ''),
          ),
      },
      {
        name: 'captureCheckpoint()',
        prepare: async () => {
          refs = [(await service.listCheckpoints(PLAN)).at(-1)?.sandboxRef ?? ''];
          paths = checkout.edit(count);
        },
        run: async () => {
          const hints = isHinted ? { changedPaths: paths } : {};
          const { checkpoint } = await service.captureCheckpoint({ planId: PLAN, ...hints });
          refs = [...refs, checkpoint.sandboxRef];
        },
        verify: async () => {
          const [before = '', after = ''] = refs;
          const held = (await snapshots.diff(before, after)).map(({ path }) => path);
          expectSame(held, paths);
        },
      },
    ],
  };
}

/** A program that only asks for the status of every file: no scan can be faster. Where there is no compiler, no row. */
function floorRow(context: BenchContext, { name, ours }: Trees): readonly BenchRow[] {
  const program = compiledLstat(context);
  if (program === null) return [];
  const { checkout, service } = ours;
  const list = join(context.folder('list'), 'files');
  execFileSync('bash', ['-c', 'git ls-files -z > "$1"', 'bash', list], {
    cwd: checkout.root,
    env: context.environment,
  });
  return [
    {
      number: scannedCheckpoints.number,
      title: `full scan beside a C program that only lstats the files: ${name}`,
      goal: { metric: 'wall', atMost: 2 },
      contenders: [
        {
          name: 'lstat in C',
          baseline: true,
          run: (meter) =>
            meter.script(`"${program}" < "${list}"`, { cwd: checkout.root, env: context.environment }),
        },
        {
          name: 'captureCheckpoint()',
          run: async () => {
            await service.captureCheckpoint({ planId: PLAN });
          },
        },
      ],
    },
  ];
}

function compiledLstat(context: BenchContext): string | null {
  const program = join(context.folder('lstat'), 'lstat');
  try {
    execFileSync('cc', ['-O2', '-o', program, join(context.root, 'tools/bench/lstat.c')], {
      stdio: 'ignore',
    });
    return program;
  } catch {
    return null; // no compiler here: the row is a comparison, not a requirement
  }
}

function rollbackRow(trees: Trees, { count, atMost, isHinted }: Work): BenchRow {
  return {
    number: rollbacks.number,
    title: `roll back ${count} changed files, ${isHinted ? 'paths known' : 'full scan'}: ${trees.name}`,
    goal: { metric: 'wall', atMost },
    contenders: [resetByShadow(trees, count), rollbackByService(trees, count, isHinted)],
  };
}

function resetByShadow({ shadow }: Trees, count: number): Contender {
  let before = '';
  return {
    name: 'git read-tree -u --reset',
    baseline: true,
    prepare: () => {
      before = shadow.addAll();
      shadow.checkout.edit(count);
      shadow.addAll();
    },
    run: (meter) =>
      meter.command(['git', 'read-tree', '-u', '--reset', before], {
        cwd: shadow.checkout.root,
        env: shadow.environment,
      }),
    verify: () => expectSame([shadow.addAll()], [before]),
  };
}

function rollbackByService({ ours }: Trees, count: number, isHinted: boolean): Contender {
  const { service, checkout } = ours;
  let target = '';
  let paths: readonly string[] = [];
  let restored: readonly string[] = [];
  return {
    name: 'rollbackToCheckpoint()',
    prepare: async () => {
      target = (await service.captureCheckpoint({ planId: PLAN })).checkpoint.checkpointId;
      paths = checkout.edit(count);
    },
    run: async () => {
      const hints = isHinted ? { changedPaths: paths } : {};
      const result = await service.rollbackToCheckpoint(PLAN, target, hints);
      restored = result.restoredFiles;
    },
    verify: async () => {
      expectSame(restored, paths);
      expectNothing((await service.diffCheckpoints(target)).map(({ path }) => path).join(' '));
    },
  };
}

function expectSame(found: readonly string[], expected: readonly string[]): void {
  const [left, right] = [found, expected].map((paths) => paths.toSorted().join('\n'));
  if (left !== right) throw new Error(`found ${found.length} paths, not the ${expected.length} expected`);
}

function expectNothing(found: string): void {
  if (found.trim() !== '') throw new Error(`left: ${found}`);
}
