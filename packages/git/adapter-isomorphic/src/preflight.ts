import type { OperationInProgress, UnsupportedFeature } from '@cleveragents/git-ports';
import type { Environment } from './environment.ts';
import type { GitConfig } from './git-config.ts';
import type { RepositoryLayout } from './repository-layout.ts';

export interface Inspection {
  readonly unsupported: readonly UnsupportedFeature[];
  readonly notes: readonly UnsupportedFeature[];
}

/** What of a repository this engine cannot do, or does otherwise than some expect. Reads files only. */
export async function inspectRepository(
  layout: RepositoryLayout,
  config: GitConfig,
  environment: Environment = process.env,
): Promise<Inspection> {
  throw new Error(`not written yet ${layout.gitDirectory} ${String(config)} ${String(environment)}`);
}

export async function readOperationInProgress(gitDirectory: string): Promise<OperationInProgress | null> {
  throw new Error(`not written yet ${gitDirectory}`);
}
