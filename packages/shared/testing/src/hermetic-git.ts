import { execFile } from 'node:child_process';

export interface GitRun {
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
}

/** This process's environment without anything of git's, then: no configuration but the repository's, a fixed author and date. */
export function hermeticGitEnvironment(date = '2026-01-01T00:00:00Z'): Record<string, string> {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(GIT_|XDG_CONFIG_HOME$|EMAIL$)/.test(entry[0]),
  );
  return {
    ...Object.fromEntries(own),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Ada Author',
    GIT_AUTHOR_EMAIL: 'ada@example.invalid',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: 'Carl Committer',
    GIT_COMMITTER_EMAIL: 'carl@example.invalid',
    GIT_COMMITTER_DATE: date,
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: 'true',
    LC_ALL: 'C',
    TZ: 'UTC',
  };
}

/** What git wrote to its standard output. Rejects with what it complained of when it exits with anything but 0. */
export async function runGit(
  commandLine: readonly string[],
  { cwd, environment = {}, input }: GitRun,
): Promise<Buffer> {
  const env = { ...hermeticGitEnvironment(), ...environment };
  return await new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      commandLine,
      { cwd, env, encoding: 'buffer', maxBuffer: 1 << 28 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else {
          // fsck complains on its standard output
          const said = [stderr, stdout].map((bytes) => bytes.toString().trim()).find((text) => text !== '');
          reject(new Error(`git ${commandLine.join(' ')}: ${said ?? error.message}`));
        }
      },
    );
    if (input === undefined) child.stdin?.end();
    else child.stdin?.end(input);
  });
}
