import { hostname, userInfo } from 'node:os';
import type { Signature } from '@cleveragents/git-domain';
import { GitError } from '@cleveragents/git-ports';
import type { Environment } from './environment.ts';
import type { GitConfig } from './git-config.ts';
import { parseGitDate } from './git-date.ts';

export interface Identity {
  readonly author: Signature;
  readonly committer: Signature;
}

type Role = 'author' | 'committer';

/** Author and committer as git would write them into a commit now. @throws GitError `GIT_IDENTITY_MISSING`. */
export function readIdentity(
  config: GitConfig,
  environment: Environment = process.env,
  now = new Date(),
): Identity {
  return {
    author: signatureOf('author', { config, environment, now }),
    committer: signatureOf('committer', { config, environment, now }),
  };
}

interface Sources {
  readonly config: GitConfig;
  readonly environment: Environment;
  readonly now: Date;
}

function signatureOf(role: Role, sources: Sources): Signature {
  const name = withoutCrud(configuredName(role, sources) ?? '');
  const email = withoutCrud(configuredEmail(role, sources) ?? '');
  if (name === '') throw missing(role, 'name');
  if (email === '' && configuredEmail(role, sources) === undefined) throw missing(role, 'e-mail address');
  return { name, email, ...instantOf(role, sources) };
}

function configuredName(role: Role, { config, environment }: Sources): string | undefined {
  return (
    environment[`GIT_${role.toUpperCase()}_NAME`] ??
    config.get(`${role}.name`) ??
    config.get('user.name') ??
    undefined
  );
}

function configuredEmail(role: Role, { config, environment }: Sources): string | undefined {
  return (
    environment[`GIT_${role.toUpperCase()}_EMAIL`] ??
    config.get(`${role}.email`) ??
    config.get('user.email') ??
    (environment['EMAIL'] || undefined)
  );
}

function missing(role: Role, what: string): GitError {
  const key = what === 'name' ? 'user.name "Your Name"' : 'user.email you@example.com';
  return new GitError('GIT_IDENTITY_MISSING', `git knows no ${what} for the ${role}`, {
    hint: `Say who you are: git config --global ${key}`,
    data: { role, missing: what === 'name' ? 'name' : 'email' },
  });
}

/** As git strips them: a commit's line has no room for these, nor for such ends. */
function withoutCrud(text: string): string {
  return text.replace(/^[\x00-\x20.,:;<>"\\']+|[\x00-\x20.,:;<>"\\']+$/g, '').replace(/[\n<>]/g, '');
}

function instantOf(
  role: Role,
  { environment, now }: Sources,
): Pick<Signature, 'timestampSeconds' | 'offsetMinutes'> {
  const variable = `GIT_${role.toUpperCase()}_DATE`;
  const written = environment[variable];
  if (!written)
    return {
      timestampSeconds: Math.floor(now.getTime() / 1000),
      offsetMinutes: -now.getTimezoneOffset() || 0,
    };
  const instant = parseGitDate(written);
  if (instant !== null) return instant;
  throw new GitError('GIT_IDENTITY_MISSING', `${variable} is no date: ${written}`, {
    hint: `Unset ${variable}, or write it as \`<seconds since 1970> <+hhmm>\` or in ISO 8601.`,
    data: { role, variable, value: written },
  });
}

/** Who a reflog line names: the committer, or as git does, the system's user where none is configured. */
export function readReflogIdentity(
  config: GitConfig,
  environment: Environment = process.env,
  now = new Date(),
): Signature {
  const sources = { config, environment, now };
  const user = systemUser(environment);
  const name = withoutCrud(configuredName('committer', sources) ?? '') || user;
  const email = withoutCrud(configuredEmail('committer', sources) ?? `${user}@${hostname()}`);
  return { name, email, ...instantOf('committer', sources) };
}

function systemUser(environment: Environment): string {
  try {
    return userInfo().username;
  } catch {
    // a user number without an entry in the system's list, as containers have them
    return environment['USER'] || 'unknown';
  }
}
