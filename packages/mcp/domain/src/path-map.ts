import { foldWindows, isPathText, isWindowsPath, normalPath, type Root, type Side } from './root.ts';

interface Owned {
  readonly root: Root;
  /** What follows the root: empty, or from a separator on. */
  readonly rest: string;
}

/**
 * What a path becomes on the other side:
 * - `mapped`: its name there;
 * - `outside`: it lies in no source root, or has no name of its own on the other side;
 * - `escapes`: it starts with a source root but leaves it through `..`.
 */
export type PathVerdict =
  { readonly kind: 'mapped'; readonly path: string } | { readonly kind: 'outside' | 'escapes' };

const OUTSIDE: PathVerdict = { kind: 'outside' };
const ESCAPES: PathVerdict = { kind: 'escapes' };
const NOT_NORMAL = { posix: /\/\.{0,2}(?:\/|$)/, windows: /[\\/]\.{0,2}(?:[\\/]|$)/ };
const PARENT = { posix: /\/\.\.(?:\/|$)/, windows: /[\\/]\.\.(?:[\\/]|$)/ };

/** Maps single paths from one side's roots to the other's. */
export class PathMap {
  readonly #roots: readonly Root[];
  readonly #from: Side;
  readonly #hasWindows: boolean;
  readonly #targets: ReadonlyMap<number, Root>;
  /** Targets that hold another root, which may shadow a path. */
  readonly #crowded: ReadonlySet<Root>;
  readonly #plainTargets = new Map<Root, string>();

  /** @param roots of both sides, longest first. */
  constructor(roots: readonly Root[], from: Side) {
    this.#roots = roots;
    this.#from = from;
    this.#hasWindows = roots.some((root) => root.style === 'windows');
    const targets = roots.filter((root) => root.side !== from && root.canonical);
    this.#targets = new Map(targets.map((root) => [root.mapping, root]));
    const crowded = (outer: Root): boolean => roots.some((root) => lies(root, outer));
    this.#crowded = new Set(targets.filter(crowded));
    for (const root of roots) {
      const target = root.side === from ? this.#targets.get(root.mapping) : undefined;
      if (target === undefined || crowded(root) || crowded(target) || root.bare || target.bare) continue;
      if (root.style === 'posix' && target.style === 'posix') this.#plainTargets.set(root, target.prefix);
    }
  }

  /** The path's name on the other side, or undefined when it is to be left alone. */
  map(path: string): string | undefined {
    const verdict = this.judge(path);
    return verdict.kind === 'mapped' ? verdict.path : undefined;
  }

  /**
   * For each root, what replaces it as the prefix of every path below it that is in normal form. Not for roots for which that
   * depends on the rest of the path: other roots inside, other separators.
   */
  get plainTargets(): ReadonlyMap<Root, string> {
    return this.#plainTargets;
  }

  /** Dots and doubled separators are judged on the normal form, because a server would resolve them, too (R4). */
  judge(path: string): PathVerdict {
    const style = this.#styleOf(path);
    if (style === undefined || !isPathText(path)) return OUTSIDE;
    const literal = this.#owner(path, style);
    if (!NOT_NORMAL[style].test(path)) return this.#carry(literal);
    const normal = this.#owner(normalForm(path, style), style);
    if (normal?.root.side !== this.#from) return literal?.root.side === this.#from ? ESCAPES : OUTSIDE;
    return this.#carry(literal?.root === normal.root && !PARENT[style].test(path) ? literal : normal);
  }

  /** Undefined for what is no absolute path. POSIX lets `//` at the start mean something else than `/`. */
  #styleOf(path: string): Root['style'] | undefined {
    if (this.#hasWindows && isWindowsPath(path)) return 'windows';
    return path.startsWith('/') && !path.startsWith('//') ? 'posix' : undefined;
  }

  /** The deepest root of either side that holds the path: a target inside a source shields what it holds (R3, R11). */
  #owner(path: string, style: Root['style']): Owned | undefined {
    const comparable = style === 'windows' ? foldWindows(path) : path;
    for (const root of this.#roots) {
      if (root.style !== style || !comparable.startsWith(root.comparable)) continue;
      const { length } = root.comparable;
      if (comparable.length === length) return { root, rest: '' };
      if (comparable.charAt(length) !== '/') continue;
      return { root, rest: root.bare && path.length === length + 1 ? '' : path.slice(length) };
    }
    return undefined;
  }

  #carry(owned: Owned | undefined): PathVerdict {
    if (owned?.root.side !== this.#from) return OUTSIDE;
    const target = this.#targets.get(owned.root.mapping);
    if (target === undefined) throw new Error('A mapping has two sides');
    const rest = restFor(target, owned);
    if (rest === undefined) return OUTSIDE;
    const path = target.prefix + (rest === '' && target.bare ? target.separator : rest);
    // A name that another root shadows on the other side would come back as a different path
    const shadowed =
      this.#crowded.has(target) && this.#owner(normalForm(path, target.style), target.style)?.root !== target;
    return shadowed ? OUTSIDE : { kind: 'mapped', path };
  }
}

function lies(inner: Root, outer: Root): boolean {
  return inner.style === outer.style && inner.comparable.startsWith(`${outer.comparable}/`);
}

function normalForm(path: string, style: Root['style']): string {
  return normalPath(path, style, style === 'windows' && path.includes('\\') ? '\\' : '/');
}

/** The rest in the target's separators; undefined when a name holds what the target takes for a separator. */
function restFor(target: Root, { root, rest }: Owned): string | undefined {
  if (root.style === 'windows')
    return rest.replaceAll(target.separator === '/' ? '\\' : '/', target.separator);
  if (target.style === 'posix') return rest;
  return rest.includes('\\') ? undefined : rest.replaceAll('/', target.separator);
}
