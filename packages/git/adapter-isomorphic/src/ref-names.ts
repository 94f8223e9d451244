import { checkRefName } from '@cleveragents/git-domain';
import { ValidationError } from '@cleveragents/shared-kernel';

/** `HEAD`, `ORIG_HEAD`, `MERGE_HEAD`: refs that lie in a work tree's own git folder. */
const PSEUDO = /^[A-Z][A-Z_]*$/;

/** A name below `refs/` that git accepts, or one of a pseudo ref: what may become a path. @throws ValidationError */
export function requireRefName(name: string): void {
  if (PSEUDO.test(name)) return;
  const fault = name.startsWith('refs/') ? checkRefName(name) : 'not below refs/';
  if (fault !== null) throw new ValidationError(`${JSON.stringify(name)} names no ref: ${fault}`);
}

/** The names that `name` is below of, without `refs` itself. */
export function parentNames(name: string): readonly string[] {
  const parts = name.split('/');
  return parts.slice(2).map((_, at) => parts.slice(0, at + 2).join('/'));
}
