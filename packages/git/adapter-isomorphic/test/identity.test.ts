import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Signature } from '@cleveragents/git-domain';
import { git, gitBytes, makeProject } from '@cleveragents/shared-testing/real-git';
import { GitConfig } from '../src/git-config.ts';
import { readIdentity, readReflogIdentity } from '../src/identity.ts';
import { findRepository } from '../src/repository-layout.ts';

let root: string;
beforeEach(() => {
  ({ root } = makeProject());
});
const BARE = { PATH: process.env['PATH'] ?? '', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
const DATES = { GIT_AUTHOR_DATE: '1700000000 +0100', GIT_COMMITTER_DATE: '1700000001 -0230' };

const written = ({ name, email, timestampSeconds, offsetMinutes }: Signature): string => {
  const minutes = Math.abs(offsetMinutes);
  const digits = String(Math.floor(minutes / 60) * 100 + (minutes % 60)).padStart(4, '0');
  return `${name} <${email}> ${timestampSeconds} ${offsetMinutes < 0 ? '-' : '+'}${digits}`;
};

/** What git itself would write, from that environment and nothing else. */
function identOfGit(variable: string, environment: Record<string, string>): string {
  const names = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'];
  const dates = ['GIT_AUTHOR_DATE', 'GIT_COMMITTER_DATE'];
  const cleared = Object.fromEntries(
    [...names, ...dates].map((name) => [name, undefined as unknown as string]),
  );
  return gitBytes(root, ['var', variable], { environment: { ...cleared, ...environment } })
    .toString()
    .trimEnd();
}

async function expectAgreement(environment: Record<string, string>): Promise<void> {
  const variables = { ...BARE, ...DATES, ...environment };
  const config = await GitConfig.load(await findRepository(root), variables);
  const { author, committer } = readIdentity(config, variables);
  expect([written(author), written(committer)]).toEqual([
    identOfGit('GIT_AUTHOR_IDENT', variables),
    identOfGit('GIT_COMMITTER_IDENT', variables),
  ]);
}

describe('author and committer', () => {
  it('come from user.name and user.email', async () => {
    git(root, 'config', 'user.name', 'Úrsula Example');
    git(root, 'config', 'user.email', 'ursula@example.invalid');
    await expectAgreement({});
  });

  it('come rather from author.*, committer.* and the environment', async () => {
    git(root, 'config', 'user.name', 'User');
    git(root, 'config', 'user.email', 'user@example.invalid');
    git(root, 'config', 'author.name', 'Configured Author');
    git(root, 'config', 'committer.email', 'configured@example.invalid');
    await expectAgreement({});
    await expectAgreement({
      GIT_AUTHOR_NAME: 'From Environment',
      GIT_COMMITTER_EMAIL: 'env@example.invalid',
    });
  });

  it('take EMAIL where no address is configured', async () => {
    git(root, 'config', 'user.name', 'User');
    await expectAgreement({ EMAIL: 'mail@example.invalid' });
  });

  it('lose what a commit has no room for', async () => {
    git(root, 'config', 'user.name', ' ,"A. <B>" ;.');
    git(root, 'config', 'user.email', '<a@b>');
    await expectAgreement({});
  });

  it.each([
    '1700000000 +0000',
    '@1700000000 -1130',
    '1700000000',
    '@5 +0200',
    '2023-11-14T22:13:20Z',
    '2023-11-14 22:13:20 +0530',
    '2023-11-14T22:13:20+05:30',
    'Tue, 14 Nov 2023 22:13:20 -0800',
    'Tue 14 Nov 2023 22:13:20 +0100',
    '2023-11-14T22:13:20',
  ])('have the date that git reads from %j', async (date) => {
    git(root, 'config', 'user.name', 'User');
    git(root, 'config', 'user.email', 'user@example.invalid');
    await expectAgreement({ GIT_AUTHOR_DATE: date, TZ: process.env['TZ'] ?? '' });
  });

  it('are refused where git refuses: no name, an empty name, no address, a bad date', async () => {
    const read = async (environment: Record<string, string>): Promise<unknown> => {
      const variables = { ...BARE, ...environment };
      return readIdentity(await GitConfig.load(await findRepository(root), variables), variables);
    };
    const name = { GIT_AUTHOR_NAME: 'A', GIT_COMMITTER_NAME: 'C' };
    const refused = { code: 'GIT_IDENTITY_MISSING' };
    await expect(read({ EMAIL: 'a@b' })).rejects.toMatchObject({ ...refused, data: { missing: 'name' } });
    await expect(read({ ...name, GIT_AUTHOR_NAME: '', EMAIL: 'a@b' })).rejects.toMatchObject(refused);
    await expect(read(name)).rejects.toMatchObject({ ...refused, data: { missing: 'email' } });
    await expect(read({ ...name, EMAIL: 'a@b', GIT_AUTHOR_DATE: 'yesterday-ish' })).rejects.toMatchObject(
      refused,
    );
  });

  it('have the time of now, in the local zone, where no date is given', async () => {
    const variables = { ...BARE, GIT_AUTHOR_NAME: 'A', GIT_COMMITTER_NAME: 'C', EMAIL: 'a@b' };
    const now = new Date('2024-02-29T12:00:00.900Z');
    const { author } = readIdentity(await GitConfig.load(null, variables), variables, now);
    expect(author.timestampSeconds).toBe(now.getTime() / 1000 - 0.9);
    expect(author.offsetMinutes).toBe(-now.getTimezoneOffset() || 0);
  });
});

describe('the name on a reflog line', () => {
  it('is the system’s user where nobody is configured', async () => {
    const config = await GitConfig.load(await findRepository(root), BARE);
    const { name, email } = readReflogIdentity(config, BARE);
    expect(name).not.toBe('');
    expect(email).toContain('@');
  });
});
