import type { Environment } from './shared-parts.ts';

/**
 * Variables of git's that say who somebody is, where settings lie, and how to reach a server. All others, `GIT_DIR` and
 * `GIT_INDEX_FILE` before all, would send git elsewhere or make it talk.
 */
const KEPT = [
  /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$/,
  /^GIT_CONFIG_(?:NOSYSTEM|SYSTEM|GLOBAL|COUNT|KEY_\d+|VALUE_\d+)$/,
  /^GIT_ATTR_NOSYSTEM$/,
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|PROXY_COMMAND|ALLOW_PROTOCOL)$/,
  /^GIT_(?:SSL|LFS)_/,
];

/** Nobody is there to answer, and nobody but us reads what git prints. */
const UNATTENDED: Environment = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'force',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
  GIT_PAGER: 'cat',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_FLUSH: '1',
};

/** What a git of ours finds in its environment. */
export function gitEnvironment(environment: Environment): Environment {
  const kept = Object.entries(environment).filter(
    ([name]) => !name.startsWith('GIT_') || KEPT.some((pattern) => pattern.test(name)),
  );
  return { ...Object.fromEntries(kept), ...UNATTENDED };
}

/** Settings that every git of ours runs under, whatever the repository says. */
const SETTINGS = [
  'core.fsmonitor=false',
  'core.splitIndex=false',
  'core.pager=cat',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'advice.detachedHead=false',
];

export const GIT_SETTINGS: readonly string[] = SETTINGS.flatMap((setting) => ['-c', setting]);

export const SETTINGS_WITHOUT_HOOKS: readonly string[] = [...GIT_SETTINGS, '-c', 'core.hooksPath=/dev/null'];
