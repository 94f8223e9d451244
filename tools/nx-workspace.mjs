// Nx plugin of this workspace: gives every package its tags and targets from the folder it lies in,
// so that a package.json holds nothing about nx.
//   packages/<context>/<layer>  -> context:<context>, layer:<layer> ('adapter-isomorphic' is layer:adapter)
//   apps/<name>                 -> layer:app
//   features, tools/<name>      -> layer:features, layer:tools
//   .                           -> 'workspace': the tools and documents that belong to no package
// The whole tree is checked by tools/verify.mjs, one process a stage; these targets are for `nx affected`.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { roomOf } from './boundaries/rules.mjs';

const TSC = 'node node_modules/typescript-native/bin/tsc -b';
const ESLINT = 'eslint --max-warnings=0';
const JEST_ENV = { NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning' };
const BDD_ENV = { NODE_OPTIONS: '--conditions=@cleveragents/source --import=tsx' };
const CUCUMBER = 'cucumber-js --config features/cucumber.mjs';

const tagsOf = (root) => {
  const [top] = root.split('/');
  if (top !== 'packages') return [top === 'apps' ? 'layer:app' : `layer:${top}`];
  const { context, layer } = roomOf(root);
  return [`context:${context}`, `layer:${layer}`];
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

export const createNodesV2 = [
  '{package.json,packages/*/*/package.json,apps/*/package.json,features/package.json,tools/*/package.json}',
  (files, _options, { workspaceRoot }) =>
    files.map((file) => {
      const root = dirname(file);
      const project =
        root === '.'
          ? { name: 'workspace', tags: ['layer:workspace'], targets: {} }
          : {
              tags: tagsOf(root),
              targets: projectTargets(root, (p) => existsSync(join(workspaceRoot, root, p))),
            };
      return [file, { projects: { [root]: project } }];
    }),
];
