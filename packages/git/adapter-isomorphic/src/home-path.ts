import type { Environment } from './environment.ts';

/** `~/x` below the user's home. `~name/x`, which only the system's user list could tell, stays as it is. */
export function expandHome(path: string, environment: Environment): string {
  const home = environment['HOME'];
  if (!home || !(path === '~' || path.startsWith('~/'))) return path;
  return home + path.slice(1);
}
