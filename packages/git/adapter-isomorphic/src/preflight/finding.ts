import type { UnsupportedFeature } from '@cleveragents/git-ports';

/** What most of the refusals come down to: an installed git can do it. */
export const USE_NATIVE = 'Use the native engine: an installed git (2.38 or later) can do this.';

export function finding(feature: string, detail: string, wayOut = USE_NATIVE): UnsupportedFeature {
  return { feature, detail, wayOut };
}

/** `a, b, c and 12 more` */
export function examples(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${(names.length - most).toString()} more` : shown;
}
