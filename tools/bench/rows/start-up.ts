import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { BenchContext, BenchRow, Contender, RowFile } from '../row.ts';

/** What a person waits for before anything happens. */
export const startUp: RowFile = {
  number: 10,
  make: (context) => {
    const cwd = projectIn(context);
    return [row(context, cwd, ['--version'], 1.4), row(context, cwd, ['plan', 'list'], 2)];
  },
};

function projectIn({ folder, environment }: BenchContext): string {
  const cwd = folder('start-up');
  execFileSync('git', ['init', '--quiet'], { cwd, env: environment });
  return cwd;
}

function row(context: BenchContext, cwd: string, args: readonly string[], atMost: number): BenchRow {
  const env = { ...context.environment, HOME: cwd, XDG_STATE_HOME: join(cwd, 'state') };
  const program = (words: readonly string[]): Contender['run'] => {
    return (meter) => meter.command([process.execPath, ...words], { cwd, env });
  };
  const bundle = join(context.root, 'apps/cli/bundle/cleveragents.js');
  return {
    number: startUp.number,
    title: `cleveragents ${args.join(' ')}`,
    goal: { metric: 'cpu', atMost },
    contenders: [
      { name: 'node -e 0', baseline: true, run: program(['-e', '0']) },
      {
        name: 'cleveragents',
        run: program([bundle, ...args]),
        verify: () => {
          const output = execFileSync(process.execPath, [bundle, ...args], { cwd, env, encoding: 'utf8' });
          if (output.trim() === '') throw new Error('it said nothing');
        },
      },
    ],
  };
}
