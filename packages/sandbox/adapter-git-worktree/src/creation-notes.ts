import type { RepositoryFacts, UnsupportedFeature } from '@cleveragents/git-ports';

/** What the maker of a sandbox should know of it: what works, but not as some would expect. */
export function notesOf(
  { notes }: RepositoryFacts,
  { leftOut, notLinked }: { readonly leftOut: number; readonly notLinked: readonly string[] },
): readonly UnsupportedFeature[] {
  return [...notes, ...(leftOut === 0 ? [] : [uncommitted(leftOut)]), ...notLinked.map(tracked)];
}

function uncommitted(count: number): UnsupportedFeature {
  const [changes, are] = count === 1 ? ['change', 'is'] : ['changes', 'are'];
  return {
    feature: 'uncommitted-changes',
    detail: `${count} uncommitted ${changes} of the project ${are} not in the sandbox`,
    wayOut: 'Commit them, or take them in: --include-dirty.',
  };
}

function tracked(path: string): UnsupportedFeature {
  return {
    feature: 'link-of-tracked-path',
    detail: `${path} is tracked: the sandbox has its own, and it was not linked`,
    wayOut: 'Link what git does not track.',
  };
}
