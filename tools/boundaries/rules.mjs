// Who may import whom: the table of docs/architecture, as rules for eslint. boundaries.test.mjs proves that each one bites,
// purity.test.mjs that the built packages load no more than the table allows.

/** Which layers the sources of each layer may import. */
const LAYERS = {
  kernel: [],
  domain: ['kernel', 'domain'],
  ports: ['kernel', 'domain', 'ports'],
  application: ['kernel', 'domain', 'ports', 'application'],
  'shared-adapter': ['kernel'],
  adapter: ['kernel', 'domain', 'ports', 'shared-adapter'],
  testing: ['kernel', 'domain', 'ports', 'shared-adapter'],
  app: ['kernel', 'domain', 'ports', 'application', 'adapter', 'shared-adapter', 'app'],
};
/** Tests may also stand on adapters and on the test doubles. */
const TEST_LAYERS = [...Object.keys(LAYERS), 'features', 'tools'];

/** Which contexts each context may import; git is for the adapters of the contexts in USERS_OF_GIT alone. */
const CONTEXTS = ['shared', 'git', 'sandbox', 'checkpoint', 'file-tools', 'mcp'];
const USERS_OF_GIT = ['sandbox', 'checkpoint'];
const INNER_LAYERS = ['domain', 'ports', 'application'];

/** The npm packages that the sources of each inner layer may import; an adapter's one technology is its own affair. */
export const LIBRARIES = {
  kernel: ['zod', '@noble/hashes'],
  domain: ['zod', 'iconv-lite', 'node-diff3', '@noble/hashes'],
  ports: [],
  application: ['zod'],
};
/** The layers whose sources do no I/O. */
export const PURE_LAYERS = Object.keys(LIBRARIES);

const only = (sourceTag, tags) => ({ sourceTag, onlyDependOnLibsWithTags: tags });
const contextTags = (...contexts) => contexts.map((context) => `context:${context}`);
const layerTags = (layers) => layers.map((layer) => `layer:${layer}`);

const inLayers = (context, layers, contexts) =>
  layers.map((layer) => ({
    allSourceTags: [`context:${context}`, `layer:${layer}`],
    onlyDependOnLibsWithTags: contextTags(...contexts),
  }));

const contextRules = CONTEXTS.flatMap((context) => {
  // The test doubles lie in shared, and stand in for the ports of every context.
  if (context === 'shared') return inLayers(context, ['kernel', 'shared-adapter'], ['shared']);
  if (!USERS_OF_GIT.includes(context)) return [only(`context:${context}`, contextTags(context, 'shared'))];
  return [
    only(`context:${context}`, contextTags(context, 'shared', 'git')),
    ...inLayers(context, INNER_LAYERS, [context, 'shared']),
  ];
});

const layerRules = (layers) =>
  Object.entries(layers).map(([layer, allowed]) => only(`layer:${layer}`, layerTags(allowed)));

const CONSTRAINTS = {
  sources: [...layerRules(LAYERS), ...contextRules],
  engine: [...layerRules({ ...LAYERS, adapter: [...LAYERS.adapter, 'adapter'] }), ...contextRules],
  tests: [only('*', layerTags(TEST_LAYERS))],
};

/**
 * Where in the house a package lies, by its folder: `packages/git/adapter-isomorphic` is layer adapter of context git.
 * The shared adapter is a layer of its own, the one that other adapters may stand on.
 */
export function roomOf(folder) {
  const [, context, name] = folder.split('/');
  const layer = name.replace(/-.*/, '');
  return { context, layer: context === 'shared' && layer === 'adapter' ? 'shared-adapter' : layer };
}

/** Whether sources of package `from` may import package `to`; both are `{ context, layer }`, as in the tags. */
export function mayImport(from, to) {
  if (!LAYERS[from.layer].includes(to.layer)) return false;
  if (to.context === from.context || to.context === 'shared' || from.layer === 'testing') return true;
  return from.layer === 'adapter' && USERS_OF_GIT.includes(from.context) && to.context === 'git';
}

/**
 * Sources cannot form a circle, because the layers allow none; a package's tests and the test doubles often do, and nx does
 * not tell them apart. A pair must not hold a package twice: the rule then forbids its own files to it.
 */
const CIRCLES = layerTags(TEST_LAYERS).flatMap((one, index, all) =>
  all.slice(index + 1).map((other) => [`tag:${one}`, `tag:${other}`]),
);

/**
 * @param {'sources' | 'engine' | 'tests'} kind of the files that the rule is for; 'engine' is the one file of an adapter
 *   that may name another adapter
 */
export const boundaries = (kind) => [
  'error',
  {
    allow: [],
    allowCircularSelfDependency: true, // a package's tests import it by its name
    enforceBuildableLibDependency: false,
    ignoredCircularDependencies: CIRCLES,
    depConstraints: CONSTRAINTS[kind],
  },
];

const NO_NODE = { group: ['node:*'], message: 'The inner layers do no I/O: add a port.' };
const ONLY_ASSERT = {
  group: ['node:*', '!node:assert', '!node:assert/*'],
  message: 'A contract is data and node:assert.',
};
const NO_CONTAINER = {
  group: ['inversify', 'inversify/*', 'reflect-metadata'],
  message: 'Only *.container.ts knows inversify.',
};
const NO_METADATA = {
  group: ['reflect-metadata'],
  message:
    'reflect-metadata is imported on the first line of apps/cli/src/composition-root.ts and nowhere else.',
};

const escaped = (name) => name.replace(/[/.]/g, String.raw`\$&`);

/** Refuses every npm package but `names`; relative files, node: and the workspace have rules of their own. */
const onlyLibraries = (layer, ...more) => {
  const names = [...LIBRARIES[layer], ...more];
  const allowed = ['\\.', 'node:', '@cleveragents\\/', ...names.map((name) => `${escaped(name)}(?:\\/|$)`)];
  return {
    regex: `^(?!${allowed.join('|')})`,
    message: `Sources of layer ${layer} import ${names.length === 0 ? 'no library' : `no library but ${names.join(', ')}`}.`,
  };
};

const NO_WIRING = {
  group: ['inversify', 'inversify/*', 'reflect-metadata'],
  message:
    'Only the composition root and the bridges know inversify; the composition root begins with reflect-metadata.',
};

const patternsOf = ({ layer, file }) => {
  if (layer === 'app') return file === 'container' ? [NO_METADATA] : [NO_WIRING];
  if (layer === 'adapter') return file === 'container' ? [NO_METADATA] : [NO_CONTAINER];
  if (file === 'container') return [NO_METADATA, NO_NODE, onlyLibraries(layer, 'inversify')];
  return [NO_CONTAINER, file === 'contract' ? ONLY_ASSERT : NO_NODE, onlyLibraries(layer)];
};

/**
 * What eslint's own no-restricted-imports forbids.
 * @param {{ layer: 'kernel' | 'domain' | 'ports' | 'application' | 'adapter' | 'app', file?: 'container' | 'contract' }} where
 */
export const externalImports = (where) => ['error', { patterns: patternsOf(where) }];
