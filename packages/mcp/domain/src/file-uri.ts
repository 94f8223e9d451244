import type { PathMap, PathVerdict } from './path-map.ts';
import { isPathText } from './root.ts';

const FILE_URI = /^(file:\/\/)([^/?#]*)(\/[^?#]*)((?:[?#][^]*)?)$/i;
/** Decoded, these would end a segment, or the path, where its writer did not. */
const NEVER_IN_A_SEGMENT = /[/\\\0\r\n]/;
const OUTSIDE: PathVerdict = { kind: 'outside' };
const DRIVE_SEGMENT = /^\/[A-Za-z]:(?:\/|$)/;

export function isFileUri(text: string): boolean {
  return text.length > 7 && text.slice(0, 7).toLowerCase() === 'file://';
}

/** Whether a text that begins as a `file://` URI goes on as nothing else. */
export function readsAsOneUri(text: string): boolean {
  return !/[\s"'`<>|]/.test(text) && !text.includes('://', 7);
}

/** One path segment as URIs write it; `:` and `@` stay as they are. */
function encodeSegment(segment: string): string {
  return encodeURI(segment).replaceAll('?', '%3F').replaceAll('#', '%23');
}

/**
 * Judges a whole `file://` URI by its decoded path (R6). Authority, query and fragment stay, and so does the spelling of
 * each segment that keeps its name.
 */
export function judgeFileUri(uri: string, paths: PathMap): PathVerdict {
  const [, scheme, authority, path, suffix] = FILE_URI.exec(uri) ?? [];
  if (scheme === undefined || authority === undefined || path === undefined || suffix === undefined)
    return OUTSIDE;
  if (!isPathText(suffix)) return OUTSIDE;
  const raw = path.split('/').slice(1);
  const decoded = raw.map(decodeSegment);
  if (decoded.includes(undefined)) return OUTSIDE;
  const local = authority === '' || authority.toLowerCase() === 'localhost';
  const plain = `/${decoded.join('/')}`;
  const verdict = paths.judge(
    !local ? `//${authority}${plain}` : DRIVE_SEGMENT.test(plain) ? plain.slice(1) : plain,
  );
  if (verdict.kind !== 'mapped') return verdict;
  const target = placeOf(verdict.path, local ? authority : '');
  return { kind: 'mapped', path: scheme + target.authority + encodePath(target.path, raw, decoded) + suffix };
}

function decodeSegment(raw: string): string | undefined {
  try {
    const decoded = decodeURIComponent(raw);
    return NEVER_IN_A_SEGMENT.test(decoded) || !decoded.isWellFormed() ? undefined : decoded;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Splits a plain path into what a URI writes as authority and as path. */
function placeOf(path: string, authority: string): { readonly authority: string; readonly path: string } {
  if (path.startsWith('/') && !path.startsWith('//')) return { authority, path };
  const slashes = path.replaceAll('\\', '/');
  if (!slashes.startsWith('//')) return { authority, path: `/${slashes}` };
  const end = slashes.indexOf('/', 2);
  return { authority: slashes.slice(2, end), path: slashes.slice(end) };
}

/** From the end, segments that kept their name keep their spelling; those before are encoded afresh. */
function encodePath(path: string, raw: readonly string[], decoded: readonly (string | undefined)[]): string {
  const segments = path.split('/').slice(1);
  let spelled = true;
  for (let back = 1; back <= segments.length; back += 1) {
    const segment = segments.at(-back) ?? '';
    spelled &&= back <= raw.length && decoded.at(-back) === segment;
    segments[segments.length - back] = spelled ? (raw.at(-back) ?? '') : encodeSegment(segment);
  }
  return `/${segments.join('/')}`;
}
