import { unquoteName } from './quoting.ts';
import { matchesPathPattern, matchesNamePattern } from './wildmatch.ts';

/** `true`: set; `false`: unset (`-text`); `null`: unspecified again (`!text`); else the value (`eol=crlf`). */
export type AttributeState = boolean | string | null;

/** One line of a gitattributes file. */
export interface AttributeRule {
  /** As written, without quotes; the name of the macro for `[attr]name`. */
  readonly pattern: string;
  /** Defines a macro rather than speaking of paths. */
  readonly isMacro: boolean;
  /** In the order they stand; each name once, with its last state. Macros are not expanded. */
  readonly attributes: ReadonlyMap<string, AttributeState>;
}

/** Git's built-in macro, as a rule that stands before all others. */
export const BINARY_MACRO: AttributeRule = {
  pattern: 'binary',
  isMacro: true,
  attributes: new Map([
    ['diff', false],
    ['merge', false],
    ['text', false],
  ]),
};

const MACRO_PREFIX = '[attr]';
const LONGEST_LINE = 2048;
const NAME = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/;

/** The rules of a gitattributes file, in order. Lines that git ignores (with a warning) are left out, as git does. */
export function parseAttributes(text: string): readonly AttributeRule[] {
  const lines = (text.startsWith('\ufeff') ? text.slice(1) : text).split('\n');
  return lines.flatMap((line) => parseLine(line) ?? []);
}

function parseLine(line: string): AttributeRule | null {
  const content = line.replace(/^[ \t\r]+/, '');
  if (content === '' || content.startsWith('#') || line.length >= LONGEST_LINE) return null;
  const { name, rest } = unquoteName(content) ?? splitAtSpace(content);
  const isMacro = name.startsWith(MACRO_PREFIX) && name.length > MACRO_PREFIX.length;
  const pattern = isMacro ? name.slice(MACRO_PREFIX.length) : name;
  if (isMacro ? !NAME.test(pattern) : pattern.startsWith('!')) return null;
  const attributes = parseStates(rest);
  return attributes && { pattern, isMacro, attributes };
}

function splitAtSpace(content: string): { name: string; rest: string } {
  const end = content.search(/[ \t\r]/);
  return end < 0 ? { name: content, rest: '' } : { name: content.slice(0, end), rest: content.slice(end) };
}

/** `null` when one of the names is none: git drops the whole line then. */
function parseStates(text: string): Map<string, AttributeState> | null {
  const states = new Map<string, AttributeState>();
  for (const word of text.split(/[ \t\r]+/)) {
    if (word === '') continue;
    const [name, state] = parseState(word);
    if (!NAME.test(name)) return null;
    states.delete(name); // so that the order is that of the last mention
    states.set(name, state);
  }
  return states;
}

function parseState(word: string): readonly [string, AttributeState] {
  const equals = word.indexOf('=');
  const name = equals < 0 ? word : word.slice(0, equals);
  if (name.startsWith('-')) return [name.slice(1), false];
  if (name.startsWith('!')) return [name.slice(1), null];
  return [name, equals < 0 ? true : word.slice(equals + 1)];
}

/** The rules of one gitattributes file and the folder it stands in. */
export interface AttributeFile {
  /** From the root of the work tree; empty for the root, `info/attributes` and the user's own file. */
  readonly folder: string;
  readonly rules: readonly AttributeRule[];
}

/**
 * The attributes of a file, macros expanded. Unspecified ones are not in the map.
 *
 * @param files weakest first: the user's, then the root's down to the folder of `path`, then `info/attributes`.
 */
export function attributesOf(
  path: string,
  files: readonly AttributeFile[],
): ReadonlyMap<string, Exclude<AttributeState, null>> {
  const macros = new Map(
    [BINARY_MACRO, ...files.flatMap(({ folder, rules }) => (folder === '' ? rules : []))]
      .filter(({ isMacro }) => isMacro)
      .map(({ pattern, attributes }) => [pattern, attributes]),
  );
  const found = new Map<string, AttributeState>();
  for (const { folder, rules } of [...files].reverse())
    for (const rule of [...rules].reverse())
      if (!rule.isMacro && matches(rule.pattern, path, folder)) fill(found, rule.attributes, macros);
  const specified = [...found].filter((pair): pair is [string, boolean | string] => pair[1] !== null);
  return new Map(specified);
}

/** Takes over what is not known yet: rules are asked strongest first. */
function fill(
  found: Map<string, AttributeState>,
  attributes: ReadonlyMap<string, AttributeState>,
  macros: ReadonlyMap<string, ReadonlyMap<string, AttributeState>>,
): void {
  for (const [name, state] of [...attributes].reverse()) {
    if (found.has(name)) continue;
    found.set(name, state);
    const macro = macros.get(name);
    if (state === true && macro) fill(found, macro, macros);
  }
}

function matches(pattern: string, path: string, folder: string): boolean {
  if (pattern.endsWith('/')) return false; // speaks of directories, which have no attributes
  if (folder !== '' && !path.startsWith(`${folder}/`)) return false;
  const below = folder === '' ? path : path.slice(folder.length + 1);
  if (!pattern.includes('/')) return matchesNamePattern(pattern, below.slice(below.lastIndexOf('/') + 1));
  return matchesPathPattern(pattern.replace(/^\//, ''), below);
}
