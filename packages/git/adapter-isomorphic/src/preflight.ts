import { join } from 'node:path';
import type { OperationInProgress, UnsupportedFeature } from '@cleveragents/git-ports';
import type { Environment } from './environment.ts';
import { readBytesIfThere, readTextIfThere, statIfThere } from './file-access.ts';
import type { GitConfig } from './git-config.ts';
import { checkAttributes } from './preflight/attribute-checks.ts';
import { checkConfig } from './preflight/config-checks.ts';
import { surveyIndex } from './preflight/index-survey.ts';
import { takeNotes } from './preflight/notes.ts';
import { checkFiles, checkOwner } from './preflight/repository-checks.ts';
import type { RepositoryLayout } from './repository-layout.ts';

export interface Inspection {
  readonly unsupported: readonly UnsupportedFeature[];
  readonly notes: readonly UnsupportedFeature[];
}

const OTHER_IDS = new Set(['sha256', 'object-format']);

/** What of a repository this engine cannot do, or does otherwise than some expect. Reads files only. */
export function inspectRepository(
  layout: RepositoryLayout,
  config: GitConfig,
  environment: Environment = process.env,
): Promise<Inspection> {
  return Promise.resolve().then(() => {
    const ofConfig = checkConfig(config);
    // with ids of another length nothing else can be read
    if (ofConfig.some(({ feature }) => OTHER_IDS.has(feature))) return { unsupported: ofConfig, notes: [] };
    const survey = surveyIndex(readBytesIfThere(join(layout.gitDirectory, 'index')));
    const found = [
      ...ofConfig,
      ...checkFiles(layout, config),
      ...checkOwner(layout, config, environment),
      ...survey.unsupported,
      ...checkAttributes({ layout, config, survey, environment }),
    ];
    return { unsupported: eachOnce(found), notes: takeNotes(layout, config, survey.submodules) };
  });
}

/** Several signs of one feature are one feature. */
function eachOnce(found: readonly UnsupportedFeature[]): readonly UnsupportedFeature[] {
  return found.filter(({ feature }, at) => found.findIndex((other) => other.feature === feature) === at);
}

const MARKS: readonly (readonly [name: string, operation: OperationInProgress])[] = [
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['rebase-merge', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

export async function readOperationInProgress(gitDirectory: string): Promise<OperationInProgress | null> {
  const mark = MARKS.find(([name]) => statIfThere(join(gitDirectory, name)) !== null);
  if (mark !== undefined) return mark[1];
  // between two picks of a series only the list of the remaining ones is there
  const todo = readTextIfThere(join(gitDirectory, 'sequencer/todo'));
  if (todo === null) return null;
  return /^revert\b/m.test(todo) ? 'revert' : 'cherry-pick';
}
