import { join, resolve } from 'node:path';
import { configBoolean } from '@cleveragents/git-domain';
import { GitError } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { ConfigReader, type ConfigScope, type ConfigSetting } from './config-reader.ts';
import type { Environment } from './environment.ts';
import { expandHome } from './home-path.ts';
import { type RepositoryLayout } from './repository-layout.ts';

/**
 * All configuration that git would see in a repository, read once: system, global, local, the work tree's own, and
 * GIT_CONFIG_COUNT's.
 */
export class GitConfig {
  readonly #values = new Map<string, ConfigSetting[]>();
  readonly #base: string;
  readonly #environment: Environment;

  private constructor(settings: readonly ConfigSetting[], base: string, environment: Environment) {
    this.#base = base;
    this.#environment = environment;
    for (const setting of settings) {
      const known = this.#values.get(setting.name);
      if (known) known.push(setting);
      else this.#values.set(setting.name, [setting]);
    }
  }

  /** @param layout null: outside of any repository. @throws GitError `GIT_CORRUPT` for a file that git would refuse. */
  static load(layout: RepositoryLayout | null, environment: Environment = process.env): Promise<GitConfig> {
    return Promise.resolve().then(() => GitConfig.loadSync(layout, environment));
  }

  static loadSync(layout: RepositoryLayout | null, environment: Environment = process.env): GitConfig {
    const settings = readAll(layout, environment);
    return new GitConfig(settings, layout?.workTree ?? layout?.gitDirectory ?? process.cwd(), environment);
  }

  /** Each name that is set, once. */
  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** The value that wins; undefined when none is set, null for a key without `=`. Names as `git config --list` has them. */
  get(name: string): string | null | undefined {
    return this.#values.get(name)?.at(-1)?.value;
  }

  /** Every value in the order in which git reads them. @param scopes only those set there. */
  getAll(name: string, scopes?: readonly ConfigScope[]): readonly (string | null)[] {
    const settings = this.#values.get(name) ?? [];
    return settings.filter(({ scope }) => scopes?.includes(scope) ?? true).map(({ value }) => value);
  }

  /** @throws GitError `GIT_CORRUPT` for a value that is no boolean. */
  boolean(name: string, fallback: boolean): boolean {
    const value = this.get(name);
    if (value === undefined) return fallback;
    try {
      return configBoolean(value);
    } catch (cause) {
      if (!hasCode(cause, 'GIT_CONFIG_VALUE_INVALID')) throw cause;
      throw new GitError('GIT_CORRUPT', `bad boolean value ${JSON.stringify(value)} for ${name}`, {
        hint: `Correct it with \`git config ${name} true\` or \`false\`.`,
        data: { name, value },
        cause,
      });
    }
  }

  /** A path with `~` expanded, absolute; null when not set, or set to nothing. */
  path(name: string): string | null {
    const value = this.get(name);
    if (value === undefined || value === null || value === '') return null;
    return resolve(this.#base, expandHome(value, this.#environment));
  }

  /** The user's own ignore file: `core.excludesFile`, else git's default place; null when there is neither. */
  get excludesFile(): string | null {
    return this.#userFile('core.excludesfile', 'ignore');
  }

  /** The user's own attributes: `core.attributesFile`, else git's default place; null when there is neither. */
  get attributesFile(): string | null {
    return this.#userFile('core.attributesfile', 'attributes');
  }

  #userFile(setting: string, name: string): string | null {
    if (this.get(setting) !== undefined) return this.path(setting);
    const folder = userConfigFolder(this.#environment);
    return folder === null ? null : join(folder, name);
  }
}

function readAll(layout: RepositoryLayout | null, environment: Environment): readonly ConfigSetting[] {
  const reader = new ConfigReader(layout, environment);
  const noSystem = environment['GIT_CONFIG_NOSYSTEM'];
  if (noSystem === undefined || !isTrue(noSystem))
    reader.readFile(environment['GIT_CONFIG_SYSTEM'] ?? '/etc/gitconfig', 'system');
  for (const file of globalFiles(environment)) reader.readFile(file, 'global');
  if (layout !== null) {
    reader.readFile(join(layout.commonDirectory, 'config'), 'local');
    if (reader.settings.some(isWorktreeConfig))
      reader.readFile(join(layout.gitDirectory, 'config.worktree'), 'worktree');
  }
  reader.readEnvironment();
  return reader.settings;
}

function globalFiles(environment: Environment): readonly string[] {
  const only = environment['GIT_CONFIG_GLOBAL'];
  if (only !== undefined) return only === '' ? [] : [only];
  const user = userConfigFolder(environment);
  const home = environment['HOME'];
  return [...(user === null ? [] : [join(user, 'config')]), ...(home ? [join(home, '.gitconfig')] : [])];
}

/** The folder in which git keeps what is the user's own: `$XDG_CONFIG_HOME/git`; null when there is no home. */
export function userConfigFolder(environment: Environment): string | null {
  const folder = environment['XDG_CONFIG_HOME'];
  if (folder) return join(folder, 'git');
  const home = environment['HOME'];
  return home ? join(home, '.config/git') : null;
}

function isWorktreeConfig({ name, value, scope }: ConfigSetting): boolean {
  return name === 'extensions.worktreeconfig' && scope === 'local' && isTrue(value);
}

function isTrue(value: string | null): boolean {
  try {
    return configBoolean(value);
  } catch (error) {
    if (hasCode(error, 'GIT_CONFIG_VALUE_INVALID')) return false;
    throw error;
  }
}
