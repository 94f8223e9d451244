import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { boundaries, externalImports } from './tools/boundaries/rules.mjs';

const GENERATED = ['**/dist/**', '**/out-tsc/**', '**/bundle/**', '**/coverage/**', '.nx/**', '.reports/**'];
const SOURCES = 'packages/*/*/src/**/*.ts';

export default tseslint.config(
  { ignores: GENERATED },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': boundaries('tests'),
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'Name what the package exports.' },
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
      ],
    },
  },
  {
    // The one file in which an adapter may name another context's adapter: the engine of a sandbox made with `new` alone.
    files: [SOURCES, 'apps/*/src/**/*.ts'],
    ignores: ['packages/sandbox/adapter-git-worktree/src/default-engine.ts'],
    rules: { '@nx/enforce-module-boundaries': boundaries('sources') },
  },
  {
    files: ['apps/*/src/**/*.ts', SOURCES],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'error' },
  },
  {
    // @nx/enforce-module-boundaries sees neither Node's own modules nor which file of a package imports what
    files: [SOURCES],
    ignores: ['**/*.container.ts', '**/container.ts'],
    rules: { 'no-restricted-imports': externalImports('adapter') },
  },
  ...['kernel', 'domain', 'ports', 'application'].map((layer) => ({
    files: [`packages/*/${layer}/src/**/*.ts`],
    ignores: ['**/*.container.ts', '**/container.ts'],
    rules: { 'no-restricted-imports': externalImports(layer) },
  })),
  {
    files: ['packages/*/ports/src/contract/**/*.ts', 'packages/shared/kernel/src/contract/**/*.ts'],
    rules: { 'no-restricted-imports': externalImports('contract') },
  },
);
