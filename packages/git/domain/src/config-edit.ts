import { type ConfigEntry, parseGitConfig } from './config-file.ts';

/**
 * The text of a configuration file with one setting at another value, or without it; everything else stays as it is,
 * byte for byte. Null where that cannot be done by changing whole lines of the setting's own.
 *
 * @param name of a section without subsection: `core.bare`.
 * @param value one word; null: the setting goes.
 * @throws GitFormatError `GIT_CONFIG_CORRUPT` where git would refuse the file.
 */
export function withConfigValue(text: string, name: string, value: string | null): string | null {
  const wanted = name.toLowerCase();
  const [section = '', key = ''] = wanted.split('.');
  const before = parseGitConfig(text);
  let inSection = false;
  const lines = text.split('\n').flatMap((line) => {
    const header = /^\s*\[([^\]]*)\]/.exec(line)?.[1];
    if (header !== undefined) inSection = header.trim().toLowerCase() === section;
    const match = inSection ? /^(\s*)([A-Za-z][A-Za-z0-9-]*)\s*(?:=|$)/.exec(line) : null;
    if (match?.[2]?.toLowerCase() !== key) return [line];
    return value === null
      ? []
      : [`${match[1] ?? ''}${match[2]} = ${value}${line.endsWith('\r') ? '\r' : ''}`];
  });
  const edited = lines.join('\n');
  return isSame(parseGitConfig(edited), expected(before, wanted, value)) ? edited : null;
}

function expected(
  before: readonly ConfigEntry[],
  name: string,
  value: string | null,
): readonly ConfigEntry[] {
  if (value === null) return before.filter((entry) => entry.name !== name);
  return before.map((entry) => (entry.name === name ? { ...entry, value } : entry));
}

/** Line by line: a value that goes on in the next line, or several on one line, make a difference here. */
function isSame(one: readonly ConfigEntry[], other: readonly ConfigEntry[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ name, value }, at) => name === other[at]?.name && value === other[at]?.value)
  );
}
