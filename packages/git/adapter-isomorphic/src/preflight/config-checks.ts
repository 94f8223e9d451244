import type { UnsupportedFeature } from '@cleveragents/git-ports';
import type { GitConfig } from '../git-config.ts';
import { finding } from './finding.ts';

/** Extensions under which everything that we touch stays as we know it. */
const HARMLESS = new Set([
  'noop',
  'noop-v1',
  'preciousobjects',
  'worktreeconfig',
  'relativeworktrees',
  'partialclone',
]);
/** Git itself heeds these in repositories of format 0 as well; others only from 1 on. */
const ALWAYS_HEEDED = new Set(['objectformat', 'refstorage', 'compatobjectformat']);
const OFF = /^(?:false|no|off|0|)$/i;

/** What the repository's format and the user's settings ask for that we do not do. */
export function checkConfig(config: GitConfig): readonly UnsupportedFeature[] {
  return [
    ...checkFormat(config),
    ...checkPartialClone(config),
    ...checkLineEndings(config),
    ...checkSharing(config),
    ...checkSwitches(config),
  ];
}

function checkFormat(config: GitConfig): readonly UnsupportedFeature[] {
  const version = Number(config.get('core.repositoryformatversion') ?? 0);
  const found = version > 1 ? [finding('repository-format', `the repository has format ${version}`)] : [];
  for (const name of config.names) {
    if (!name.startsWith('extensions.')) continue;
    const extension = name.slice('extensions.'.length);
    const value = config.get(name) ?? 'true';
    const unknown = checkExtension(extension, value);
    if (unknown !== null && (version > 0 || ALWAYS_HEEDED.has(extension))) found.push(unknown);
  }
  return found;
}

function checkExtension(extension: string, value: string): UnsupportedFeature | null {
  if (HARMLESS.has(extension)) return null;
  const detail = `extensions.${extension} is ${value}`;
  if (extension === 'objectformat')
    return value === 'sha1' ? null : finding(value === 'sha256' ? 'sha256' : 'object-format', detail);
  if (extension === 'refstorage')
    return /^files(?:$|:)/.test(value)
      ? null
      : finding(value.startsWith('reftable') ? 'reftable' : 'ref-storage', detail);
  return finding('unknown-extension', detail);
}

function checkPartialClone(config: GitConfig): readonly UnsupportedFeature[] {
  const name = config.names.find(
    (one) =>
      one === 'extensions.partialclone' ||
      /^remote\..*\.partialclonefilter$/.test(one) ||
      (/^remote\..*\.promisor$/.test(one) && config.boolean(one, false)),
  );
  if (name === undefined) return [];
  return [
    finding(
      'partial-clone',
      `${name} is set: objects may be missing here`,
      'Use the native engine, which fetches them.',
    ),
  ];
}

function checkLineEndings(config: GitConfig): readonly UnsupportedFeature[] {
  const autocrlf = config.get('core.autocrlf');
  const eol = config.get('core.eol');
  return [
    ...(autocrlf === undefined || OFF.test(autocrlf ?? 'true')
      ? []
      : [finding('autocrlf', `core.autocrlf is ${autocrlf ?? 'true'}: git changes line endings`)]),
    ...(eol?.toLowerCase() === 'crlf'
      ? [finding('core-eol', 'core.eol is crlf: git changes line endings')]
      : []),
  ];
}

function checkSharing(config: GitConfig): readonly UnsupportedFeature[] {
  const shared = config.get('core.sharedrepository');
  if (shared === undefined || OFF.test(shared ?? 'true') || shared === 'umask') return [];
  return [
    finding(
      'shared-repository',
      `core.sharedRepository is ${shared ?? 'true'}: files need other permissions`,
    ),
  ];
}

function checkSwitches(config: GitConfig): readonly UnsupportedFeature[] {
  const found: UnsupportedFeature[] = [];
  if (config.boolean('core.sparsecheckout', false))
    found.push(
      finding(
        'sparse-checkout',
        'core.sparseCheckout is on',
        'Use the native engine, or `git sparse-checkout disable`.',
      ),
    );
  if (!config.boolean('core.symlinks', true))
    found.push(finding('no-symlinks', 'core.symlinks is off: links are files here'));
  if (config.boolean('commit.gpgsign', false))
    found.push(
      finding(
        'commit-signing',
        'commit.gpgSign is on, and we sign nothing',
        'Use the native engine, or turn it off here: git config commit.gpgSign false',
      ),
    );
  return found;
}
