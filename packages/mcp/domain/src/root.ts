import { McpPathError } from './mcp-path.errors.ts';

export type Side = 'host' | 'sandbox';

/** A directory that has a name on each side, as its owner configured it. */
export interface RootMapping {
  /** Absolute path on the host. What sandbox paths are written as on their way out. */
  readonly host: string;
  /** Absolute path in the sandbox. What host paths are written as on their way in. */
  readonly sandbox: string;
  /** Other spellings of `host`, such as the unresolved name of a linked directory. Understood, never written. */
  readonly hostAliases?: readonly string[];
  /** Other spellings of `sandbox`. Understood, never written. */
  readonly sandboxAliases?: readonly string[];
}

/** One spelling of one side of one mapping, parsed. */
export interface Root {
  readonly side: Side;
  readonly mapping: number;
  readonly style: 'posix' | 'windows';
  readonly separator: '/' | '\\';
  /** Normal form without trailing separator: empty for `/`. */
  readonly prefix: string;
  /** `prefix` in the form in which paths of its style are compared. */
  readonly comparable: string;
  /** Whether paths are written with it, or only understood. */
  readonly canonical: boolean;
  /** The root of a file system, `/` or `C:\\`: its name needs the separator that `prefix` lacks. */
  readonly bare: boolean;
}

const NEVER_IN_A_PATH = /[\0\r\n]/;
const WINDOWS_DRIVE = /^[A-Za-z]:[\\/]/;
const WINDOWS_SHARE = /^[\\/]{2}[^\\/]+[\\/][^\\/]+/;

/** Whether a string could be the name of a file at all (R5). */
export function isPathText(text: string): boolean {
  return !NEVER_IN_A_PATH.test(text);
}

export function isWindowsPath(text: string): boolean {
  return WINDOWS_DRIVE.test(text) || WINDOWS_SHARE.test(text);
}

/** Windows compares names without case and takes either slash. The result is as long as `text`. */
export function foldWindows(text: string): string {
  const slashes = text.replaceAll('\\', '/');
  const folded = slashes.toLowerCase();
  if (folded.length === text.length) return folded;
  return Array.from(slashes, (letter) => {
    const lower = letter.toLowerCase();
    return lower.length === letter.length ? lower : letter;
  }).join('');
}

/** Resolves `.`, `..` and doubled separators of an absolute path by text alone. A trailing separator stays. */
export function normalPath(path: string, style: Root['style'], separator: Root['separator']): string {
  const parts = path.split(style === 'windows' ? /[\\/]/ : '/');
  const fixed = style === 'posix' ? [''] : parts[0] === '' ? parts.slice(0, 4) : parts.slice(0, 1);
  const kept: string[] = [];
  for (const part of parts.slice(fixed.length)) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  const directory = kept.length > 0 && parts.at(-1) === '';
  return [...fixed, ...kept, ...(directory ? [''] : [])].join(separator) || separator;
}

function relativeRoot(raw: string, side: Side, windows: boolean): McpPathError {
  const hint =
    !windows && isWindowsPath(raw)
      ? 'Windows paths are understood on request: set `windows: true`.'
      : 'Give the absolute path of the directory.';
  return new McpPathError(
    'MCP_PATH_ROOT_RELATIVE',
    `The ${side} root is not absolute: ${JSON.stringify(raw)}`,
    {
      hint,
      data: { side, root: raw },
    },
  );
}

/** @throws McpPathError `MCP_PATH_ROOT_INVALID`, `MCP_PATH_ROOT_RELATIVE`. */
export function parseRoot(
  raw: string,
  { side, mapping, canonical, windows }: Pick<Root, 'side' | 'mapping' | 'canonical'> & { windows: boolean },
): Root {
  if (typeof raw !== 'string' || raw === '' || !isPathText(raw) || !raw.isWellFormed())
    throw new McpPathError('MCP_PATH_ROOT_INVALID', `The ${side} root is no path: ${JSON.stringify(raw)}`, {
      hint: 'Give the absolute path of the directory.',
      data: { side, root: raw },
    });
  const style = windows && isWindowsPath(raw) ? 'windows' : 'posix';
  if (style === 'posix' && !raw.startsWith('/')) throw relativeRoot(raw, side, windows);
  const separator = style === 'windows' && raw.includes('\\') ? '\\' : '/';
  const normal = normalPath(raw, style, separator);
  const prefix = normal.endsWith(separator) ? normal.slice(0, -1) : normal;
  const comparable = style === 'windows' ? foldWindows(prefix) : prefix;
  const bare = prefix === '' || /^[A-Za-z]:$/.test(prefix);
  return { side, mapping, style, separator, prefix, comparable, canonical, bare };
}

/**
 * Every spelling of every root, longest first.
 * @throws McpPathError for a configuration that could mean two things, or nothing.
 */
export function parseMappings(mappings: readonly RootMapping[], windows: boolean): readonly Root[] {
  const roots = mappings.flatMap(({ host, sandbox, hostAliases = [], sandboxAliases = [] }, mapping) => [
    parseRoot(host, { side: 'host', mapping, canonical: true, windows }),
    parseRoot(sandbox, { side: 'sandbox', mapping, canonical: true, windows }),
    ...hostAliases.map((raw) => parseRoot(raw, { side: 'host', mapping, canonical: false, windows })),
    ...sandboxAliases.map((raw) => parseRoot(raw, { side: 'sandbox', mapping, canonical: false, windows })),
  ]);
  if (roots.length === 0)
    throw new McpPathError('MCP_PATH_NO_MAPPING', 'No mapping of a host root to a sandbox root is given', {
      hint: 'Give `hostRoot` and `sandboxRoot`, or at least one entry of `mappings`.',
    });
  const seen = new Set<string>();
  for (const { comparable, prefix } of roots) {
    if (seen.has(comparable))
      throw new McpPathError('MCP_PATH_ROOTS_EQUAL', `Two roots are the same directory: ${prefix || '/'}`, {
        hint: 'Each root, on either side, may be given once.',
        data: { root: prefix || '/' },
      });
    seen.add(comparable);
  }
  return roots.sort((a, b) => b.comparable.length - a.comparable.length);
}
