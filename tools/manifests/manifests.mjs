// Keeps what each package declares in step with what its code says, because neither tsc nor eslint does.
//   node tools/manifests/manifests.mjs                       report every difference (exit 1)
//   node tools/manifests/manifests.mjs --write               write the files that follow from others
//   node tools/manifests/manifests.mjs --new FOLDER "TEXT"   begin a package
// Follows from others: both tsconfigs, jest.config.mjs, LICENSE, `exports`, and the workspace dependencies.
// Declared by hand: dependencies from npm (somebody has to choose the version), description, README.
// Only checked, for `npm install` writes it: package-lock.json must know every package and what it declares.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { format, getFileInfo, resolveConfig } from 'prettier';
import {
  exists,
  importedPackages,
  packageFolders,
  programFolders,
  readJson,
  relativeFolder,
  root,
  typescriptFiles,
} from './workspace.mjs';

const VERSION = '0.1.0';
/** npm packs the licence that lies in the package's own folder. */
const LICENSE = readFileSync(join(root, 'LICENSE'), 'utf8');
const [mode, newFolder, description] = process.argv.slice(2);
const writing = mode === '--write' || mode === '--new';
const problems = [];

/** Written at the end, formatted as `npm run format` would. */
const pending = new Map();

const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
const sorted = (record) => Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
const isLibrary = (folder) => folder.startsWith('packages/');
const nameOf = (folder) =>
  `@cleveragents/${folder.startsWith('packages/') ? folder.split('/').slice(1).join('-') : folder.split('/').at(-1)}`;

function put(path, content) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function expectText(path, content) {
  if (exists(path) && readFileSync(join(root, path), 'utf8') === content) return;
  if (writing) pending.set(path, content);
  else problems.push(`${path}: not as tools/manifests would write it (run with --write)`);
}

function expectJson(path, value) {
  if (exists(path) && isDeepStrictEqual(readJson(path), value)) return;
  if (writing) pending.set(path, json(value));
  else problems.push(`${path}: not as tools/manifests would write it (run with --write)`);
}

function begin(folder, text) {
  if (exists(`${folder}/package.json`)) throw new Error(`${folder} is there already`);
  put(
    `${folder}/package.json`,
    json({
      name: nameOf(folder),
      version: VERSION,
      description: text,
      license: 'MIT',
      type: 'module',
      repository: {
        type: 'git',
        url: 'git+https://example.invalid/cleveragents.git',
        directory: folder,
      },
      sideEffects: false,
      exports: {},
      files: ['dist', 'src', '!**/*.tsbuildinfo'],
      engines: { node: '>=20.19.0' },
      publishConfig: { access: 'public' },
    }),
  );
}

const entry = (path) => ({
  '@cleveragents/source': `./src/${path}.ts`,
  types: `./dist/${path}.d.ts`,
  default: `./dist/${path}.js`,
});

function exportsOf(folder) {
  const has = (path) => exists(`${folder}/src/${path}.ts`);
  return {
    './package.json': './package.json',
    '.': entry('index'),
    ...(has('contract/index') && { './contract': entry('contract/index') }),
    ...(has('container') && { './container': entry('container') }),
    ...(has('parts') && { './parts': entry('parts') }),
    ...(has('real-git') && { './real-git': entry('real-git') }),
  };
}

/** The fields that follow from the code; npm dependencies must be declared already. */
function checkManifest(folder, workspace) {
  const manifest = readJson(`${folder}/package.json`);
  const field = isLibrary(folder) && !manifest.private ? 'dependencies' : 'devDependencies';
  const used = importedPackages(isLibrary(folder) || folder.startsWith('apps/') ? `${folder}/src` : folder);
  const declared = { ...manifest.peerDependencies, ...manifest[field] };
  for (const name of used)
    if (
      !(name in { ...declared, ...manifest.optionalDependencies }) &&
      !workspace.has(name) &&
      !(folder === 'features' || folder.startsWith('tools/'))
    )
      problems.push(
        `${folder}/package.json: "${name}" is imported but declared neither in ${field} nor as a peer`,
      );
  for (const name of Object.keys(declared))
    if (!used.has(name) && !workspace.has(name) && !(manifest.optionalImports ?? []).includes(name))
      problems.push(`${folder}/package.json: "${name}" is declared but not imported`);
  const dependencies = sorted({
    ...Object.fromEntries(Object.entries(manifest[field] ?? {}).filter(([name]) => !workspace.has(name))),
    ...Object.fromEntries(
      [...used]
        .filter((name) => workspace.has(name) && name !== manifest.name)
        .map((name) => [name, `^${readJson(`${workspace.get(name)}/package.json`).version}`]),
    ),
  });
  const { [field]: _old, ...rest } = manifest;
  expectJson(`${folder}/package.json`, {
    ...rest,
    ...(isLibrary(folder) && { exports: exportsOf(folder) }),
    ...(Object.keys(dependencies).length > 0 && { [field]: dependencies }),
  });
}

const references = (from, folders) =>
  folders.sort().map((folder) => ({ path: relativeFolder(from, folder) }));

function checkBuild(folder, workspace) {
  const up = relativeFolder(folder, '.');
  const foldersOf = (names, self) =>
    [...names]
      .filter((name) => workspace.has(name) && workspace.get(name) !== self)
      .map((name) => workspace.get(name));
  if (!isLibrary(folder) && !folder.startsWith('apps/')) {
    expectJson(`${folder}/tsconfig.json`, {
      extends: `${up}/tsconfig.test.json`,
      compilerOptions: { tsBuildInfoFile: 'out-tsc/.tsbuildinfo' },
      include: ['**/*.ts'],
      exclude: ['out-tsc'],
      references: references(folder, foldersOf(importedPackages(folder), folder)),
    });
    return;
  }
  expectJson(`${folder}/tsconfig.json`, {
    extends: `${up}/tsconfig.base.json`,
    compilerOptions: { rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/.tsbuildinfo' },
    include: ['src/**/*.ts'],
    references: references(folder, foldersOf(importedPackages(`${folder}/src`), folder)),
  });
  if (typescriptFiles(`${folder}/test`).length === 0) return;
  expectJson(`${folder}/test/tsconfig.json`, {
    extends: `${up}/../tsconfig.test.json`,
    compilerOptions: { tsBuildInfoFile: '../out-tsc/test.tsbuildinfo' },
    include: ['./**/*.ts'],
    references: [
      { path: '..' },
      ...references(`${folder}/test`, foldersOf(importedPackages(`${folder}/test`), folder)),
    ],
  });
  expectText(
    `${folder}/jest.config.mjs`,
    `import preset from '${up}/jest.preset.mjs';\nexport default { ...preset, displayName: '${nameOf(folder).split('/')[1]}' };\n`,
  );
}

const fromNpm = (ranges, workspace) =>
  Object.fromEntries(Object.entries(ranges ?? {}).filter(([name]) => !workspace.has(name)));

/** `npm ci` refuses a lock file that lags behind; say so here, not on somebody's fresh clone. */
function checkLock(folder, workspace, locked) {
  const manifest = readJson(`${folder}/package.json`);
  const isLinked = locked[`node_modules/${manifest.name}`]?.resolved === folder;
  const agrees = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].every(
    (field) =>
      isDeepStrictEqual(fromNpm(manifest[field], workspace), fromNpm(locked[folder]?.[field], workspace)),
  );
  if (!isLinked || !agrees) problems.push(`package-lock.json: ${folder} is not as locked (run npm install)`);
}

/** Programs that belong to no package: compiled with everything else, run from their sources. */
function checkProgram(folder, workspace) {
  const used = [...importedPackages(folder)].filter((name) => workspace.has(name));
  expectJson(`${folder}/tsconfig.json`, {
    extends: `${relativeFolder(folder, '.')}/tsconfig.test.json`,
    compilerOptions: { tsBuildInfoFile: 'out-tsc/.tsbuildinfo' },
    include: ['**/*.ts'],
    exclude: ['out-tsc'],
    references: references(
      folder,
      used.map((name) => workspace.get(name)),
    ),
  });
}

if (mode === '--new') begin(newFolder.replace(/\/$/, ''), description ?? '');
const folders = packageFolders();
const workspace = new Map(folders.map((folder) => [readJson(`${folder}/package.json`).name, folder]));
const { packages: locked } = readJson('package-lock.json');
for (const folder of folders) {
  checkManifest(folder, workspace);
  checkBuild(folder, workspace);
  checkLock(folder, workspace, locked);
  if (!readJson(`${folder}/package.json`).private) expectText(`${folder}/LICENSE`, LICENSE);
  if (isLibrary(folder) && !exists(`${folder}/README.md`) && !readJson(`${folder}/package.json`).private)
    problems.push(`${folder}: no README.md`);
}
const programs = programFolders();
for (const folder of programs) checkProgram(folder, workspace);
expectJson('tsconfig.json', {
  files: [],
  references: [
    ...folders.flatMap((folder) => [
      { path: `./${folder}` },
      ...(exists(`${folder}/test/tsconfig.json`) ? [{ path: `./${folder}/test` }] : []),
    ]),
    ...programs.map((folder) => ({ path: `./${folder}` })),
  ],
});

for (const [path, content] of pending) {
  const { inferredParser } = await getFileInfo(path);
  const options = { ...(await resolveConfig(join(root, path))), filepath: path };
  put(path, inferredParser === null ? content : await format(content, options));
}
for (const problem of problems) console.error(problem);
console.log(`manifests: ${folders.length} packages, ${problems.length} problems`);
process.exit(problems.length > 0 && mode !== '--new' ? 1 : 0);
