/** A message shows so many; `data` has them all. */
const MAX_SHOWN = 20;

/** Names in a message, one a line. */
export function listed(names: readonly string[]): string {
  const more = names.length - MAX_SHOWN;
  const shown = names.slice(0, MAX_SHOWN).map((name) => `  ${onOneLine(name)}`);
  return [...shown, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n');
}

/** Names in a sentence. */
export function enumerated(names: readonly string[]): string {
  const more = names.length - MAX_SHOWN;
  return `${names.slice(0, MAX_SHOWN).map(onOneLine).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A name may hold line ends, and must not be able to write lines of a message. */
function onOneLine(name: string): string {
  return name.replace(/[\n\r\u0085\u2028\u2029]/g, (character) => JSON.stringify(character).slice(1, -1));
}
