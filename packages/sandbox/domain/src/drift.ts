/** Refs and shared settings of a repository at one moment. */
export interface Fingerprint {
  readonly refs: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * What changed in the repository itself between two moments, one sentence each, the alarming first: an agent in a linked
 * worktree can reach the user's settings, hooks and refs.
 *
 * @param ours refs that the sandbox moves itself, as prefixes.
 */
export function describeDrift(
  before: Fingerprint,
  now: Fingerprint,
  ours: readonly string[],
): readonly string[] {
  const isOurs = (ref: string): boolean =>
    ours.some((prefix) => ref === prefix || ref.startsWith(`${prefix}/`));
  return [
    ...changesBetween(before.settings, now.settings).map(
      ({ name, from, to }) => `The setting ${name} was changed from ${from ?? 'unset'} to ${to ?? 'unset'}.`,
    ),
    ...changesBetween(before.files, now.files).map(
      ({ name, from, to }) => `${name} was ${from === null ? 'added' : to === null ? 'removed' : 'changed'}.`,
    ),
    ...changesBetween(before.refs, now.refs)
      .filter(({ name }) => !isOurs(name))
      .map(
        ({ name, from, to }) =>
          `${name} was ${from === null ? 'created' : to === null ? 'deleted' : 'moved'}.`,
      ),
  ];
}

/** Settings by which git finds a checkout: with another value it stays behind when its branch moves. */
const FIND_THE_CHECKOUT = ['core.bare', 'core.worktree'];

/** Those of them that were changed. */
export function settingsThatHideTheCheckout(before: Fingerprint, now: Fingerprint): readonly string[] {
  return changesBetween(before.settings, now.settings)
    .map(({ name }) => name)
    .filter((name) => FIND_THE_CHECKOUT.includes(name));
}

function changesBetween(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): readonly { readonly name: string; readonly from: string | null; readonly to: string | null }[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.flatMap((name) => {
    const [from, to] = [before[name] ?? null, now[name] ?? null];
    return from === to ? [] : [{ name, from, to }];
  });
}
