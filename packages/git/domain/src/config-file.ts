import { GitFormatError } from './git-format.errors.ts';

/** One `key = value` of a git configuration file. `include.path` and `includeIf.*.path` are entries like any other. */
export interface ConfigEntry {
  /** `section.subsection.key` as `git config --list` prints it: section and key in lower case, subsection as written. */
  readonly name: string;
  readonly section: string;
  /** `null` for a section without one. */
  readonly subsection: string | null;
  readonly key: string;
  /** `null` for a key without `=`, which git takes for true. */
  readonly value: string | null;
}

const SPACES = ' \t\n\r';
const ESCAPES: Readonly<Record<string, string>> = { t: '\t', b: '\b', n: '\n', '\\': '\\', '"': '"' };

/**
 * The entries of a configuration file in the order they stand, which is the order in which later ones win.
 *
 * @throws GitFormatError `GIT_CONFIG_CORRUPT` where git would refuse the file.
 */
export function parseGitConfig(text: string): readonly ConfigEntry[] {
  const scanner = new Scanner(text.startsWith('\ufeff') ? text.slice(1) : text);
  const entries: ConfigEntry[] = [];
  let section = '';
  while (!scanner.atEnd) {
    const character = scanner.next();
    if (SPACES.includes(character)) continue;
    if (character === '#' || character === ';') scanner.skipLine();
    else if (character === '[') section = `${readSection(scanner)}.`;
    else if (/[A-Za-z]/.test(character)) entries.push(readEntry(scanner, section, character));
    else throw scanner.corrupt();
  }
  return entries;
}

class Scanner {
  readonly #text: string;
  #position = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#position >= this.#text.length;
  }

  /** The next character, a line end as `\n` whether it was written LF or CRLF; `\n` at the end of the text. */
  next(): string {
    if (this.#text.startsWith('\r\n', this.#position)) this.#position++;
    const character = this.#text[this.#position++] ?? '\n';
    if (character === '\n') this.#line++;
    return character;
  }

  skipLine(): void {
    while (this.next() !== '\n');
  }

  /** The fault lies on the line of the character read last. */
  corrupt(): GitFormatError {
    const read = this.#text[Math.min(this.#position, this.#text.length) - 1];
    const line = read === '\n' || this.#position > this.#text.length ? this.#line - 1 : this.#line;
    return new GitFormatError('GIT_CONFIG_CORRUPT', `bad config line ${line}`, { data: { line } });
  }
}

/** What stands between the brackets, as the beginning of an entry's name. */
function readSection(scanner: Scanner): string {
  let name = '';
  for (;;) {
    const character = scanner.next();
    if (character === ']' && name !== '') return name;
    if (SPACES.includes(character)) return `${name}.${readSubsection(scanner, character)}`;
    if (!/[A-Za-z0-9.-]/.test(character)) throw scanner.corrupt();
    name += character.toLowerCase();
  }
}

function readSubsection(scanner: Scanner, first: string): string {
  let character = first;
  while (SPACES.includes(character)) {
    if (character === '\n') throw scanner.corrupt();
    character = scanner.next();
  }
  if (character !== '"') throw scanner.corrupt();
  let name = '';
  for (character = scanner.next(); character !== '"'; character = scanner.next()) {
    if (character === '\\') character = scanner.next();
    if (character === '\n') throw scanner.corrupt();
    name += character;
  }
  if (scanner.next() !== ']') throw scanner.corrupt();
  return name;
}

function readEntry(scanner: Scanner, section: string, first: string): ConfigEntry {
  let key = first.toLowerCase();
  let character = scanner.next();
  for (; /[A-Za-z0-9-]/.test(character); character = scanner.next()) key += character.toLowerCase();
  while (character === ' ' || character === '\t') character = scanner.next();
  if (character !== '\n' && character !== '=') throw scanner.corrupt();
  return entryOf(section + key, character === '=' ? readValue(scanner) : null);
}

function readValue(scanner: Scanner): string {
  let value = '';
  let spaces = '';
  let quoted = false;
  for (;;) {
    let character = scanner.next();
    if (character === '\n' && quoted) throw scanner.corrupt();
    if (character === '\n') return value;
    if (!quoted && SPACES.includes(character)) {
      if (value !== '') spaces += ' ';
      continue;
    }
    if (!quoted && (character === ';' || character === '#')) {
      scanner.skipLine();
      return value;
    }
    value += spaces;
    spaces = '';
    if (character === '"') quoted = !quoted;
    else if (character !== '\\') value += character;
    else {
      character = scanner.next();
      if (character === '\n') continue;
      if (ESCAPES[character] === undefined) throw scanner.corrupt();
      value += ESCAPES[character];
    }
  }
}

function entryOf(name: string, value: string | null): ConfigEntry {
  const first = name.indexOf('.');
  const last = name.lastIndexOf('.');
  return {
    name,
    section: name.slice(0, Math.max(first, 0)),
    subsection: first < last ? name.slice(first + 1, last) : null,
    key: name.slice(last + 1),
    value,
  };
}

/** @throws GitFormatError `GIT_CONFIG_VALUE_INVALID` for what git takes for no boolean. */
export function configBoolean(value: string | null): boolean {
  if (value === null) return true;
  const word = value.toLowerCase();
  if (word === 'true' || word === 'yes' || word === 'on') return true;
  if (word === 'false' || word === 'no' || word === 'off' || word === '') return false;
  const number = integerOf(value);
  if (number === null || Math.abs(number) > 0x7fffffff) throw invalid('boolean', value);
  return number !== 0;
}

/** A number as git writes them: decimal, octal (`010`) or hexadecimal (`0x10`), with `k`, `m` or `g` behind it. */
export function configInteger(value: string | null): number {
  const number = value === null ? null : integerOf(value);
  if (number === null) throw invalid('number', value);
  return number;
}

function integerOf(value: string): number | null {
  const match = /^[ \t\n\v\f\r]*([+-]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)([kKmMgG]?)$/.exec(value);
  if (match === null) return null;
  const [, sign, digits = '', unit = ''] = match;
  const base = /^0x/i.test(digits) ? 16 : digits.startsWith('0') ? 8 : 10;
  const factor = 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase());
  const number = Number.parseInt(digits, base) * factor * (sign === '-' ? -1 : 1);
  return Number.isSafeInteger(number) ? number + 0 : null;
}

function invalid(kind: string, value: string | null): GitFormatError {
  return new GitFormatError('GIT_CONFIG_VALUE_INVALID', `${JSON.stringify(value)} is no ${kind}`, {
    data: { value },
  });
}
