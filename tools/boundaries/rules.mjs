// Who may import whom: the table of docs/architecture, as rules for eslint. test/boundaries.test.mjs proves that each one bites.

/** Which layers the sources of each layer may import. */
const LAYERS = {
  kernel: [],
  domain: ['kernel', 'domain'],
  ports: ['kernel', 'domain', 'ports'],
  application: ['kernel', 'domain', 'ports', 'application'],
  'shared-adapter': ['kernel'],
  adapter: ['kernel', 'domain', 'ports', 'shared-adapter'],
  app: ['kernel', 'domain', 'ports', 'application', 'adapter', 'shared-adapter', 'app'],
};
/** Tests may also stand on adapters and on the test doubles. */
const TEST_LAYERS = [...Object.keys(LAYERS), 'testing', 'features', 'tools'];

/** Which contexts each context may import; git is for the adapters of the contexts in USERS_OF_GIT alone. */
const CONTEXTS = ['shared', 'git', 'sandbox', 'checkpoint', 'file-tools', 'mcp'];
const USERS_OF_GIT = ['sandbox', 'checkpoint'];
const INNER_LAYERS = ['domain', 'ports', 'application'];

const only = (sourceTag, tags) => ({ sourceTag, onlyDependOnLibsWithTags: tags });
const contextTags = (...contexts) => contexts.map((context) => `context:${context}`);

const contextRules = CONTEXTS.flatMap((context) =>
  USERS_OF_GIT.includes(context)
    ? [
        only(`context:${context}`, contextTags(context, 'shared', 'git')),
        ...INNER_LAYERS.map((layer) => ({
          allSourceTags: [`context:${context}`, `layer:${layer}`],
          onlyDependOnLibsWithTags: contextTags(context, 'shared'),
        })),
      ]
    : [only(`context:${context}`, contextTags(context, 'shared'))],
);

const sourceRules = [
  ...Object.entries(LAYERS).map(([layer, allowed]) =>
    only(
      `layer:${layer}`,
      allowed.map((name) => `layer:${name}`),
    ),
  ),
  ...contextRules,
];
const testRules = [
  only(
    '*',
    TEST_LAYERS.map((layer) => `layer:${layer}`),
  ),
];

/** @param {'sources' | 'tests'} kind of the files that the rule is for */
export const boundaries = (kind) => [
  'error',
  {
    allow: [],
    allowCircularSelfDependency: true, // a package's tests import it by its name
    enforceBuildableLibDependency: false,
    depConstraints: kind === 'sources' ? sourceRules : testRules,
  },
];

const NODE = { group: ['node:*'], message: 'The inner layers do no I/O: add a port.' };
const NODE_BUT_ASSERT = {
  group: ['node:*', '!node:assert', '!node:assert/*'],
  message: 'A contract is data and node:assert.',
};
const CONTAINER = {
  group: ['inversify', 'inversify/*', 'reflect-metadata'],
  message: 'Only *.container.ts knows inversify.',
};

/** What eslint's own no-restricted-imports forbids the sources of a layer. */
export function externalImports(layer) {
  const patterns = { adapter: [CONTAINER], contract: [CONTAINER, NODE_BUT_ASSERT] }[layer] ?? [
    CONTAINER,
    NODE,
  ];
  return ['error', { patterns }];
}
