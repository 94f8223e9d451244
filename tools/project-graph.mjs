// Nx's own picture of the workspace, written where @nx/enforce-module-boundaries looks for it. Without that file the rule
// warns once and then lets everything pass.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from './setup.mjs';

/** What eslint prints when the rule is blind. */
export const BLIND = 'No cached ProjectGraph';

export function writeProjectGraph() {
  const require = createRequire(join(root, 'package.json'));
  const manifest = require.resolve('nx/package.json');
  const nx = join(dirname(manifest), require(manifest).bin.nx);
  const run = spawnSync(process.execPath, [nx, 'show', 'projects'], { cwd: root, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`nx cannot read the workspace:\n${run.stdout}${run.stderr}`);
}
