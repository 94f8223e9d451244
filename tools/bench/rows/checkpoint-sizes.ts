import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { Checkout, checkpointsOf, PLAN } from '../checkpoint-trees.ts';
import type { BenchContext, RowFile, SizeRow } from '../row.ts';

const MEBIBYTE = 2 ** 20;

/** The most memory that a process needs, from its first look at a large tree to a rollback. */
export const checkpointMemory: RowFile = {
  number: 11,
  make: (context) => {
    const name = context.large ? 'r50k' : 'r10k';
    const program = (file: string): string => bundled(context, file);
    return [
      {
        number: checkpointMemory.number,
        title: `memory of first checkpoint, full scan, rollback: ${name}`,
        goal: { atMostBytes: 150 * MEBIBYTE },
        sizes: [
          {
            name: 'isomorphic-git: statusMatrix, add, commit',
            baseline: true,
            bytes: () => {
              const checkout = new Checkout(context, name);
              return printed(context, [program('isomorphic-memory.ts'), checkout.root, checkout.anyFile()]);
            },
          },
          {
            name: 'checkpoints',
            bytes: () => {
              const checkout = new Checkout(context, name);
              const store = join(checkout.root, '.git', 'cleveragents');
              return printed(context, [
                program('checkpoint-memory.ts'),
                checkout.root,
                store,
                checkout.anyFile(),
              ]);
            },
          },
        ],
      },
    ];
  },
};

const CHECKPOINTS = 200;
const VERSION_BYTES = 5 * MEBIBYTE;
const KEPT = 50;

/** What retention gives back: many checkpoints of one large file that always changes, of which the default keeps some. */
export const checkpointStore: RowFile = { number: 12, make: (context) => [storeRow(context)] };

function storeRow(context: BenchContext): SizeRow {
  return {
    number: checkpointStore.number,
    title: `store after ${CHECKPOINTS} checkpoints of a changing file of 5 MiB`,
    goal: { atMostBytes: 1.1 * KEPT * VERSION_BYTES },
    sizes: [
      { name: `${KEPT} versions`, baseline: true, bytes: () => KEPT * VERSION_BYTES },
      {
        name: 'checkpoints',
        bytes: async () => {
          const checkout = new Checkout(context, 'r1k');
          const { service, folder } = checkpointsOf(checkout);
          for (let count = 0; count < CHECKPOINTS; count++) {
            writeFileSync(join(checkout.root, 'changing'), randomBytes(VERSION_BYTES));
            await service.captureCheckpoint({ planId: PLAN, changedPaths: ['changing'] });
          }
          const kept = (await service.listCheckpoints(PLAN)).length;
          if (kept !== KEPT) throw new Error(`${kept} checkpoints were kept`);
          return bytesBelow(folder);
        },
      },
    ],
  };
}

/** As it is published: one file of plain JavaScript, with no loader in the same process. */
function bundled(context: BenchContext, file: string): string {
  const outfile = join(context.folder('program'), file.replace(/\.ts$/, '.mjs'));
  buildSync({
    entryPoints: [join(context.root, 'tools/bench/programs', file)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@cleveragents/source'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return outfile;
}

function printed({ environment }: BenchContext, args: readonly string[]): number {
  const output = execFileSync(process.execPath, args, { env: environment, encoding: 'utf8' });
  const bytes = Number(output.trim());
  if (!Number.isSafeInteger(bytes)) throw new Error(`it printed ${output}`);
  return bytes;
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
