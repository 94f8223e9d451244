import { hasCode } from './coded-error.ts';

const ADDRESS = /\/proc\/self\/fd\/\d+/g;

/**
 * The same error, in which what it says of addresses by an open file (`/proc/self/fd/7/name`), which nobody else can follow, is
 * said of the paths that they stand for. To be called while the files are open.
 *
 * @param placeOf what such an address links to, as `readlinkSync` has it.
 */
export function withReadablePaths(error: unknown, placeOf: (address: string) => string): unknown {
  if (!(error instanceof Error)) return error;
  const readable = (text: string): string =>
    text.replace(ADDRESS, (address) => placeOfOpen(address, placeOf));
  error.message = readable(error.message);
  const named = error as { path?: unknown; dest?: unknown };
  if (typeof named.path === 'string') named.path = readable(named.path);
  if (typeof named.dest === 'string') named.dest = readable(named.dest);
  return error;
}

function placeOfOpen(address: string, placeOf: (address: string) => string): string {
  try {
    return placeOf(address);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return address; // closed already
    throw error;
  }
}
