/** Characters that a terminal would act on instead of showing: C0, DEL, C1, bidirectional controls, line separators. */
const UNPRINTABLE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** A file name or message as it can be shown safely: what a terminal would act on is written as an escape. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    if (character === '\u001b') return '\\e';
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** The same for text of several lines, whose line ends stay. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** A value as indented JSON, in which a terminal finds nothing to act on either; a parser reads the same value. */
export function printableJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2);
  return json.split('\n').map(escapedForJson).join('\n');
}

function escapedForJson(line: string): string {
  return line.replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `1536` as `1.5 KiB`. */
export function bytes(count: number): string {
  let [value, unit] = [count, 0];
  while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit] ?? ''}`;
}
