// `npm run bench -- OPTIONS`: set-up if needed, bundle the CLI, measure it beside native git. See tools/bench/options.ts.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, root } from './setup.mjs';

const node = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;

try {
  ensureInstalled();
  process.exitCode =
    node(join(root, 'apps/cli/esbuild.mjs')) ||
    node(
      '--conditions=@cleveragents/source',
      '--import=tsx',
      join(root, 'tools/bench/main.ts'),
      ...process.argv.slice(2),
    );
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
