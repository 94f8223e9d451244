import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeGeneratedFiles } from './generated-files.ts';
import { copyRealFiles } from './real-files.ts';

export type RepositoryName = 'r1k' | 'r10k' | 'r50k' | 'real';

const GENERATED: Readonly<Record<Exclude<RepositoryName, 'real'>, number>> = {
  r1k: 1_000,
  r10k: 10_000,
  r50k: 50_000,
};

const PERSON = { NAME: 'Bench', EMAIL: 'bench@example.invalid', DATE: '2024-01-01T00:00:00Z' };

/** Nobody's configuration, nobody's clock, no variable that points git elsewhere. */
export const hermeticEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) =>
      Object.entries(PERSON).map(([field, value]) => [`GIT_${role}_${field}`, value]),
    ),
  ),
};

/** A repository whose objects are packed and which never repacks them while somebody measures. */
export function makeRepository(name: RepositoryName, path: string, root: string): void {
  mkdirSync(path);
  const git = (...args: string[]): void => {
    execFileSync('git', args, {
      cwd: path,
      env: hermeticEnvironment,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  };
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'gc.auto', '0');
  git('config', 'maintenance.auto', 'false');
  if (name === 'real') copyRealFiles(join(root, 'node_modules'), path);
  else writeGeneratedFiles(path, GENERATED[name]);
  writeFileSync(join(path, '.gitignore'), '*.log\nbuild-output/\n');
  git('add', '--all', '--force');
  git('commit', '--quiet', '--message=Everything');
  git('gc', '--quiet');
  git('status', '--short');
}
