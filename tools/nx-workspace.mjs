// Nx plugin of this workspace: gives every package its tags and targets from the folder it lies in,
// so that a package.json holds nothing about nx.
//   packages/<context>/<layer>  -> context:<context>, layer:<layer> ('adapter-isomorphic' is layer:adapter)
//   apps/<name>                 -> layer:app
//   features, tools/<name>      -> layer:features, layer:tools
//   .                           -> 'workspace': the whole-tree targets (one process each; what CI runs)
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const TSC = 'node node_modules/typescript-native/bin/tsc -b';
const ESLINT = 'eslint --max-warnings=0';
const JEST_ENV = { NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning' };
const BDD_ENV = { NODE_OPTIONS: '--conditions=@cleveragents/source --import=tsx' };
const CUCUMBER = 'cucumber-js --config features/cucumber.mjs';

// The shared adapter is the one that other adapters may stand on.
const layerOf = (context, folder) =>
  context === 'shared' && folder.startsWith('adapter') ? 'shared-adapter' : folder.replace(/-.*/, '');

const tagsOf = (root) => {
  const [top, context, layer] = root.split('/');
  if (top === 'packages') return [`context:${context}`, `layer:${layerOf(context, layer)}`];
  return [top === 'apps' ? 'layer:app' : `layer:${top}`];
};

// Every run-commands target starts in the workspace root.
const projectTargets = (root, has) => {
  if (root === 'features')
    return {
      typecheck: { command: `${TSC} features` },
      lint: { command: `${ESLINT} features` },
      bdd: { command: CUCUMBER, options: { env: BDD_ENV } },
    };
  return {
    build: { command: `${TSC} ${root}` },
    typecheck: { command: `${TSC} ${root}/test` },
    lint: { command: `${ESLINT} ${root}` },
    test: { command: `jest --rootDir ${root} -c ${root}/jest.config.mjs`, options: { env: JEST_ENV } },
    ...(has('esbuild.mjs') && { bundle: { command: `node ${root}/esbuild.mjs` } }),
  };
};

const workspaceTargets = () => ({
  'all-build': { command: TSC },
  'all-lint': {
    executor: 'nx:run-commands',
    options: {
      commands: ['node tools/manifests/manifests.mjs', `${ESLINT} packages apps features tools`],
      parallel: false,
    },
  },
  'all-test': { command: 'jest --json --outputFile=.reports/jest.json', options: { env: JEST_ENV } },
  'all-bdd': {
    command: `${CUCUMBER} --format json:.reports/cucumber.json`,
    options: { env: BDD_ENV },
  },
});

export const createNodesV2 = [
  '{package.json,packages/*/*/package.json,apps/*/package.json,features/package.json,tools/*/package.json}',
  (files, _options, { workspaceRoot }) =>
    files.map((file) => {
      const root = dirname(file);
      const project =
        root === '.'
          ? { name: 'workspace', tags: ['layer:workspace'], targets: workspaceTargets() }
          : {
              tags: tagsOf(root),
              targets: projectTargets(root, (p) => existsSync(join(workspaceRoot, root, p))),
            };
      return [file, { projects: { [root]: project } }];
    }),
];
