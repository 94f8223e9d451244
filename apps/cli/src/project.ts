import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { findRepository } from '@cleveragents/git-adapter-isomorphic';
import type { Resource } from '@cleveragents/sandbox-domain';
import { hasCode, sha256Hex } from '@cleveragents/shared-kernel';
import { CliError } from './cli.errors.ts';

/** Of a project's data folder: one record a plan. */
export const PLANS_FOLDER = 'plans';
/** Of a project's data folder: what the tools did, one log a plan. */
export const CHANGE_SETS_FOLDER = 'change-sets';

/** The project that a command is about. */
export interface Project {
  readonly resource: Resource;
  /** Where the caller stands, relative to the root; `''` at the root. */
  readonly place: string;
  /** Where plans, checkpoints and what else we keep of the project are written down. */
  readonly dataFolder: string;
}

/**
 * Finds the project around `directory`: the repository that it lies in, or the directory itself.
 * @param stateFolder where plans of projects without a repository are kept.
 * @throws CliError `CLI_PROJECT_NOT_FOUND`.
 */
export async function findProject(directory: string, stateFolder: string): Promise<Project> {
  const path = await realPathOf(directory);
  const repository = await findRepository(path);
  if (repository === null || repository.workTree === null)
    return {
      resource: resourceAt(path, repository === null ? 'directory' : 'git-checkout'),
      place: '',
      dataFolder: join(stateFolder, 'projects', sha256Hex(path).slice(0, 16)),
    };
  return {
    resource: resourceAt(repository.workTree, 'git-checkout'),
    place: relative(repository.workTree, path),
    dataFolder: join(repository.commonDirectory, 'cleveragents'),
  };
}

/**
 * The same project where the settings of its repository are damaged, so that git looks for its files elsewhere or nowhere: what lies
 * around the folder `.git` is the project.
 */
export async function findDamagedProject(directory: string, stateFolder: string): Promise<Project> {
  const path = await realPathOf(directory);
  const repository = await findRepository(path);
  const isUsual =
    repository !== null &&
    repository.gitDirectory === repository.commonDirectory &&
    basename(repository.commonDirectory) === '.git';
  if (!isUsual) return findProject(directory, stateFolder);
  const { commonDirectory } = repository;
  return {
    resource: resourceAt(dirname(commonDirectory), 'git-checkout'),
    place: relative(dirname(commonDirectory), path),
    dataFolder: join(commonDirectory, 'cleveragents'),
  };
}

function resourceAt(path: string, type: string): Resource {
  const folder = basename(path) || 'root';
  return { resourceId: folder, type, path, project: `local/${folder}` };
}

async function realPathOf(directory: string): Promise<string> {
  try {
    return await realpath(directory);
  } catch (cause) {
    if (!hasCode(cause, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP')) throw cause;
    throw new CliError('CLI_PROJECT_NOT_FOUND', `There is no project at ${directory}`, {
      hint: 'Give its directory with --project.',
      data: { directory },
      cause,
    });
  }
}
