// A stranger's project: empty, outside the workspace, with the packed packages installed together.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, root } from '../manifests/workspace.mjs';
import { entryPoints } from './publishable.mjs';

const COMPILER = join(root, 'node_modules/typescript/bin/tsc');
const OPTIONS = {
  target: 'es2023',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  types: ['node'],
  rootDir: 'src',
};
const PROGRAMS = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext', outDir: 'out' },
  bundler: { module: 'esnext', moduleResolution: 'bundler', noEmit: true },
};

export const resolutions = Object.keys(PROGRAMS);

/** The examples are the programs that use the main functions; a stranger's copies must compile and run as ours do. */
export const examples = () =>
  readdirSync(join(root, 'docs/examples'))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.slice(0, -'.ts'.length));

/** Optional peers that the entries './container' stand on. */
const peersOf = (packed) => Object.assign({}, ...packed.map(({ manifest }) => manifest.peerDependencies));

const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

/**
 * @param {string} folder to fill; must exist
 * @param {{ manifest: object, tarball: string }[]} packed
 */
export function createConsumer(folder, packed) {
  mkdirSync(join(folder, 'src'));
  const tarballs = Object.fromEntries(
    packed.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]),
  );
  const types = readJson('package.json').devDependencies['@types/node'];
  writeJson(join(folder, 'package.json'), {
    name: 'consumer',
    private: true,
    type: 'module',
    dependencies: { ...tarballs, ...peersOf(packed) },
    devDependencies: { '@types/node': types },
  });
  for (const [name, options] of Object.entries(PROGRAMS))
    writeJson(join(folder, `tsconfig.${name}.json`), {
      compilerOptions: { ...OPTIONS, ...options },
      include: ['src'],
    });
  const names = packed.flatMap(({ manifest }) => entryPoints(manifest));
  writeFileSync(
    join(folder, 'src/every-entry.ts'),
    [
      ...names.map((name, index) => `import * as entry${index} from '${name}';`),
      `console.log([${names.map((_name, index) => `entry${index}`).join(', ')}].length);`,
      '',
    ].join('\n'),
  );
  for (const name of examples())
    copyFileSync(join(root, 'docs/examples', `${name}.ts`), join(folder, 'src', `${name}.ts`));
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...flags], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
}

const run = (folder, ...args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
};

/** Type-checks the consumer with the compiler that has an API, as an editor would; 'nodenext' also writes what `runProgram` runs. */
export const compile = (folder, resolution) => run(folder, COMPILER, '-p', `tsconfig.${resolution}.json`);

export const runProgram = (folder, name) => run(folder, join('out', `${name}.js`));

export const importEntry = (folder, specifier) =>
  run(folder, '--input-type=module', '--eval', `await import('${specifier}')`);

export const runCommand = (folder, name, ...args) => run(folder, join('node_modules/.bin', name), ...args);
