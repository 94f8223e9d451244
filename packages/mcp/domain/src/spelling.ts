import { wordEnd } from './text-borders.ts';

/** One of the ways in which a text may write down a path. */
export interface Spelling {
  /** The path as it is; undefined for what this spelling cannot have written. */
  read(spelled: string): string | undefined;
  write(path: string): string;
  /** Whether a separator stands at `index`. */
  separates(text: string, index: number): boolean;
  /** Where the word ends that goes on at `index`. */
  wordEnd(text: string, index: number): number;
}

export const plainSpelling: Spelling = {
  read: (spelled) => spelled,
  write: (path) => path,
  separates: (text, index) => text.charAt(index) === '/',
  wordEnd: (text, index) => wordEnd(text, index),
};

const BEYOND_ASCII = /[\u0080-\uffff]/g;
const ESCAPED_LETTER = /^\\u(?!00[0-7])[0-9a-fA-F]{4}$/;

function jsonBackslashes(text: string, index: number): number {
  const next = text.charAt(index + 1);
  if (next === '/') return 2;
  return ESCAPED_LETTER.test(text.slice(index, index + 6)) ? 6 : 0;
}

function readJson(spelled: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(`"${spelled}"`);
    return typeof parsed === 'string' ? parsed : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** As it stands in JSON text; some writers escape every slash (PHP), or every letter beyond ASCII (Python). */
export function jsonSpelling({ slashes, letters }: { slashes: boolean; letters: boolean }): Spelling {
  return {
    read: readJson,
    write: (path) => {
      const escaped = JSON.stringify(path).slice(1, -1);
      const ascii = letters
        ? escaped.replace(BEYOND_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        : escaped;
      return slashes ? ascii.replaceAll('/', '\\/') : ascii;
    },
    separates: (text, index) => text.charAt(index) === '/' || text.startsWith('\\/', index),
    wordEnd: (text, index) => wordEnd(text, index, jsonBackslashes),
  };
}

const windowsBackslashes = (text: string, index: number): number =>
  '"\'`'.includes(text.charAt(index + 1) || '"') ? 0 : 1;

/** A Windows path with its backslashes as they are; `\"` ends it all the same. */
export const windowsSpelling: Spelling = {
  ...plainSpelling,
  separates: (text, index) =>
    text.charAt(index) === '/' || (text.charAt(index) === '\\' && windowsBackslashes(text, index) === 1),
  wordEnd: (text, index) => wordEnd(text, index, windowsBackslashes),
};

/** A Windows path in JSON text. */
export const windowsJsonSpelling: Spelling = {
  ...jsonSpelling({ slashes: false, letters: false }),
  separates: (text, index) => text.charAt(index) === '/' || text.startsWith('\\\\', index),
  wordEnd: (text, index) =>
    wordEnd(text, index, (all, at) => (all.charAt(at + 1) === '\\' ? 2 : jsonBackslashes(all, at))),
};

/** Whether the whole of `text` is JSON, so that what is written into it has to be escaped. */
export function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
