import type { RepositoryFacts, UnsupportedFeature } from '@cleveragents/git-ports';
import {
  type Environment,
  type GitConfig,
  inspectedHead,
  inspectRepository,
  readOperationInProgress,
  RefStore,
  type RepositoryLayout,
} from './shared-parts.ts';

export interface InspectionRequest {
  readonly layout: RepositoryLayout;
  readonly config: GitConfig;
  readonly environment: Environment;
  /** What is wrong with the installed git; null: nothing. */
  readonly gitFault: UnsupportedFeature | null;
}

/** What keeps the other engine away, and is the installed git's everyday work. */
const DONE_BY_GIT = new Set([
  'sha256',
  'partial-clone',
  'autocrlf',
  'core-eol',
  'crlf-files',
  'sparse-checkout',
  'no-symlinks',
  'commit-signing',
  'filter',
  'ident',
  'working-tree-encoding',
  'eol-crlf',
  'merge-driver',
  'index-v4',
  'index-extension',
  'split-index',
  'sparse-index',
  'large-file',
  'large-pack',
  'legacy-modes',
  'alternates',
  'grafts',
  'replace-refs',
]);

/** `sha256`: the rules of the domain know ids of SHA-1 by heart. */
const NEEDS_MERGE_TREE = new Set(['merge-driver', 'sha256']);

/** What this engine too cannot do, and how to go on without it. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  reftable: 'Convert the refs to files: `git refs migrate --ref-format=files`.',
  'ref-storage': 'Convert the refs to files: `git refs migrate --ref-format=files`.',
  'shared-repository': 'Work in a clone of your own, or turn it off: git config core.sharedRepository false',
  'repository-format': 'Use a clone in a format that git has had for long.',
  'unknown-extension': 'Use a clone without this extension.',
  'object-format': 'Use a clone in the SHA-1 or SHA-256 format.',
  'non-utf8-paths': 'Rename these files.',
};

export interface NativeInspection {
  readonly facts: RepositoryFacts;
  readonly mergesByGit: boolean;
}

export async function inspectForNative(request: InspectionRequest): Promise<NativeInspection> {
  const { layout, config, environment, gitFault } = request;
  const inspection = await inspectRepository(layout, config, environment);
  const unsupported = inspection.unsupported
    .filter(({ feature }) => !DONE_BY_GIT.has(feature))
    .map((found) => ({ ...found, wayOut: WAYS_OUT[found.feature] ?? found.wayOut }));
  const refs = new RefStore({ layout, config, environment });
  const facts: RepositoryFacts = {
    ...layout,
    unsupported: gitFault === null ? unsupported : [gitFault, ...unsupported],
    notes: inspection.notes,
    head: await inspectedHead(refs, layout, unsupported.length > 0),
    operationInProgress: await readOperationInProgress(layout.gitDirectory),
  };
  const hasDrivers = inspection.unsupported.some(({ feature }) => NEEDS_MERGE_TREE.has(feature));
  return { facts, mergesByGit: hasDrivers || config.boolean('merge.renormalize', false) };
}
