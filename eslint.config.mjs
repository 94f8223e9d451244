import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { boundaries, externalImports, PURE_LAYERS } from './tools/boundaries/rules.mjs';

const GENERATED = ['**/dist/**', '**/out-tsc/**', '**/bundle/**', '**/coverage/**', '.nx/**', '.reports/**'];
const SOURCES = 'packages/*/*/src/**/*.ts';
const CONTAINERS = ['**/*.container.ts', '**/container.ts'];
const ENGINE = 'packages/sandbox/adapter-git-worktree/src/default-engine.ts';
const NATIVE_PARTS = 'packages/git/adapter-native/src/shared-parts.ts';

const STYLE = [
  { selector: 'ExportAllDeclaration', message: 'Name what the package exports.' },
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
];
/** no-restricted-imports reads static imports alone. */
const NO_DYNAMIC_IMPORT = {
  selector: 'ImportExpression',
  message: 'The inner layers say on their first lines what they need.',
};

const sourcesOf = (layer) => `packages/*/${layer}/src/**/*.ts`;
const restricted = (where) => ({ 'no-restricted-imports': externalImports(where) });

export default tseslint.config(
  { ignores: GENERATED },
  ...tseslint.configs.recommended,
  {
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['**/*.ts'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': boundaries('tests'),
      'no-restricted-syntax': ['error', ...STYLE],
    },
  },
  {
    files: [SOURCES, 'apps/*/src/**/*.ts'],
    rules: {
      '@nx/enforce-module-boundaries': boundaries('sources'),
      '@typescript-eslint/explicit-module-boundary-types': 'error',
    },
  },
  // A contract's type stands on its constant; the rule does not look for it from inside a list of cases.
  {
    files: ['packages/*/*/src/contract/**/*.ts'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  // The one file in which an adapter may name another context's adapter: the engine of a sandbox made with `new` alone.
  { files: [ENGINE], rules: { '@nx/enforce-module-boundaries': boundaries('engine') } },
  // The one file in which the native engine stands on the other one.
  { files: [NATIVE_PARTS], rules: { '@nx/enforce-module-boundaries': boundaries('engine') } },
  // @nx/enforce-module-boundaries sees neither Node's own modules nor which file of a package imports what.
  { files: [SOURCES], rules: restricted({ layer: 'adapter' }) },
  {
    files: CONTAINERS.map((name) => `packages/*/*/src/${name}`),
    rules: restricted({ layer: 'adapter', file: 'container' }),
  },
  ...PURE_LAYERS.flatMap((layer) => [
    {
      files: [sourcesOf(layer)],
      rules: { ...restricted({ layer }), 'no-restricted-syntax': ['error', ...STYLE, NO_DYNAMIC_IMPORT] },
    },
    {
      files: CONTAINERS.map((name) => `packages/*/${layer}/src/${name}`),
      rules: restricted({ layer, file: 'container' }),
    },
  ]),
  { files: ['apps/*/src/**/*.ts'], rules: restricted({ layer: 'app' }) },
  {
    files: ['composition-root.ts', 'composition-root/**/*.ts', 'bridges/**/*.ts'].map(
      (name) => `apps/*/src/${name}`,
    ),
    rules: restricted({ layer: 'app', file: 'container' }),
  },
  // The container itself: reflect-metadata goes before inversify, here and nowhere else.
  { files: ['apps/*/src/composition-root.ts'], rules: { 'no-restricted-imports': 'off' } },
  ...['kernel', 'ports'].map((layer) => ({
    files: [`packages/*/${layer}/src/contract/**/*.ts`],
    rules: restricted({ layer, file: 'contract' }),
  })),
);
