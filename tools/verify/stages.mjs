// The stages of `npm test`: one process each over the whole tree. `after` orders, `needs` also skips when the other failed.
// A stage with `report` counts its tests from .reports/<name>.json; any other stage counts as one.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup.mjs';

const MODULES = 'node_modules';
const SOURCE_FIRST = '--conditions=@cleveragents/source --import=tsx';
const NATIVE_ESM = '--experimental-vm-modules --disable-warning=ExperimentalWarning';
const COUNTER = './tools/verify/count-reporter.mjs';

/** Test files of the tools below `folder`, sorted; node --test of Node 20 knows no patterns. */
function toolTests(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === MODULES ? [] : toolTests(path);
      return entry.name.endsWith('.test.mjs') ? [path] : [];
    })
    .sort();
}

const nodeTests = (name, files) => [
  '--test',
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  `--test-reporter=${COUNTER}`,
  `--test-reporter-destination=.reports/${name}.json`,
  ...files,
];

const PACKING = 'tools/packing';

export const stages = () => [
  { name: 'build', command: [`${MODULES}/typescript-native/bin/tsc`, '-b'] },
  { name: 'bundle', command: ['apps/cli/esbuild.mjs'] },
  { name: 'manifests', command: ['tools/manifests/manifests.mjs'] },
  { name: 'format', command: [`${MODULES}/prettier/bin/prettier.cjs`, '--check', '.'] },
  { name: 'docs', command: ['tools/docs/docs.mjs', '--check'] },
  {
    name: 'lint',
    command: [
      `${MODULES}/eslint/bin/eslint.js`,
      '--max-warnings=0',
      ...['packages', 'apps', 'features', 'tools', 'docs'],
    ],
  },
  {
    name: 'unit',
    after: ['bundle'],
    report: 'jest',
    options: NATIVE_ESM,
    // Jest leaves one core to itself, and on two cores runs everything in its own process
    command: [
      `${MODULES}/jest/bin/jest.js`,
      '--maxWorkers=100%',
      '--json',
      '--outputFile=.reports/unit.json',
    ],
  },
  {
    name: 'bdd',
    after: ['bundle'],
    report: 'cucumber',
    options: SOURCE_FIRST,
    command: [
      `${MODULES}/@cucumber/cucumber/bin/cucumber.js`,
      '--config=features/cucumber.mjs',
      '--format=json:.reports/bdd.json',
    ],
  },
  {
    name: 'tools',
    needs: ['build', 'bundle'],
    report: 'node',
    command: nodeTests(
      'tools',
      toolTests('tools').filter((file) => !file.startsWith(`${PACKING}/`)),
    ),
  },
  {
    name: 'packing',
    needs: ['build', 'bundle'],
    report: 'node',
    command: nodeTests('packing', toolTests(PACKING)),
  },
];

/** Slow tests that look for rare faults; `npm run test:torture`. */
export const tortureStage = () => ({
  name: 'torture',
  limitMinutes: 60,
  report: 'jest',
  options: NATIVE_ESM,
  command: [
    `${MODULES}/jest/bin/jest.js`,
    '--testMatch=**/test/torture/**/*.torture.ts',
    '--passWithNoTests',
    '--json',
    '--outputFile=.reports/torture.json',
  ],
});
