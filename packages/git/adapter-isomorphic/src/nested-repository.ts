import { readFileSync } from 'node:fs';
import type { PinnedDirectory } from './pinned-directory.ts';
import { isDirectory, isRegular, lstatIfThere } from './steady-file.ts';

/** Whether the directory is the root of a repository of its own, which git would not take apart into files. */
export function holdsRepository(directory: PinnedDirectory): boolean {
  const dotGit = directory.pathOf('.git');
  const stat = lstatIfThere(dotGit);
  if (stat === null) return false;
  if (isRegular(stat)) return stat.size < 4096 && readFileSync(dotGit, 'latin1').startsWith('gitdir: ');
  return (
    isDirectory(stat) && lstatIfThere(`${dotGit}/HEAD`) !== null && lstatIfThere(`${dotGit}/objects`) !== null
  );
}
