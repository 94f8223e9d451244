import * as z from 'zod';
import { commitIdSchema } from './sandbox-context.schema.ts';

const pathsSchema = z.array(z.string());

/** One file that a plan changed. Paths are POSIX, relative to the root, raw. */
export const fileReportSchema = z.looseObject({
  path: z.string(),
  kind: z.enum(['added', 'modified', 'deleted', 'renamed', 'mode', 'link']),
  /** For a rename, where it was. */
  renamedFrom: z.string().nullable(),
  binary: z.boolean(),
  insertions: z.int().nonnegative(),
  deletions: z.int().nonnegative(),
});
export type FileReport = z.infer<typeof fileReportSchema>;

const pathAndReasonSchema = z.looseObject({ path: z.string(), reason: z.string() });
export type PathAndReason = z.infer<typeof pathAndReasonSchema>;

export const commitResultSchema = z
  .looseObject({
    success: z.boolean(),
    /** The sandbox's commit; null when there was nothing to commit. */
    commitRef: commitIdSchema.nullable(),
    /** Where the target branch stands now; null when it did not move. Equals `commitRef` after a fast-forward. */
    mergeRef: commitIdSchema.nullable(),
    /** Where the target branch stood before; null when it did not move. */
    previousRef: commitIdSchema.nullable(),
    /** Short name of the branch that was moved; null for a strategy without branches. */
    targetBranch: z.string().nullable(),
    /** Modified, new and deleted paths, each sorted. A renamed file is one deleted and one added path here. */
    changedFiles: pathsSchema,
    addedFiles: pathsSchema,
    deletedFiles: pathsSchema,
    renamedFiles: z.array(z.looseObject({ from: z.string(), to: z.string() })),
    insertions: z.int().nonnegative(),
    deletions: z.int().nonnegative(),
    /** One per file, sorted by path. */
    files: z.array(fileReportSchema),
    /** Files of the original that had the new content already and were left alone. */
    keptFiles: z.array(pathAndReasonSchema),
    /** What the sandbox holds and no commit can: nested repositories, sockets, unreadable files. */
    omittedFiles: z.array(pathAndReasonSchema),
    /** Refs and settings of the repository that changed behind our back since creation, in words. */
    drift: z.array(z.string()),
  })
  .readonly();

export type CommitResult = z.infer<typeof commitResultSchema>;

export const NOTHING_COMMITTED: CommitResult = {
  success: true,
  commitRef: null,
  mergeRef: null,
  previousRef: null,
  targetBranch: null,
  changedFiles: [],
  addedFiles: [],
  deletedFiles: [],
  renamedFiles: [],
  insertions: 0,
  deletions: 0,
  files: [],
  keptFiles: [],
  omittedFiles: [],
  drift: [],
};

/** The lists and sums of a result, from its files. */
export function summariseFiles(
  files: readonly FileReport[],
): Pick<
  CommitResult,
  'changedFiles' | 'addedFiles' | 'deletedFiles' | 'renamedFiles' | 'insertions' | 'deletions' | 'files'
> {
  const pathsOf = (...kinds: FileReport['kind'][]): string[] =>
    files.filter((file) => kinds.includes(file.kind)).map((file) => file.path);
  const renames = files.flatMap((file) =>
    file.kind === 'renamed' && file.renamedFrom !== null ? [{ from: file.renamedFrom, to: file.path }] : [],
  );
  const total = (field: 'insertions' | 'deletions'): number =>
    files.reduce((sum, file) => sum + file[field], 0);
  return {
    changedFiles: pathsOf('modified', 'mode', 'link').sort(),
    addedFiles: [...pathsOf('added'), ...renames.map(({ to }) => to)].sort(),
    deletedFiles: [...pathsOf('deleted'), ...renames.map(({ from }) => from)].sort(),
    renamedFiles: renames,
    insertions: total('insertions'),
    deletions: total('deletions'),
    files: [...files],
  };
}
