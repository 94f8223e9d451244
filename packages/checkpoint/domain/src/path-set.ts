/** `a/b/c` -> `a`, `a/b`. */
export function ancestorsOf(path: string): readonly string[] {
  const ancestors: string[] = [];
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
    ancestors.push(path.slice(0, slash));
  return ancestors;
}

/** Paths, asked for by what lies above or below them. Each answer costs the depth of one path. */
export class PathSet<Value> {
  readonly #at = new Map<string, Value>();
  readonly #above = new Set<string>();

  constructor(entries: Iterable<readonly [path: string, value: Value]> = []) {
    for (const [path, value] of entries) this.add(path, value);
  }

  add(path: string, value: Value): void {
    this.#at.set(path, value);
    for (const ancestor of ancestorsOf(path)) this.#above.add(ancestor);
  }

  /** The value of the path itself, else of its outermost ancestor in the set. */
  covering(path: string): Value | undefined {
    for (const ancestor of ancestorsOf(path)) {
      const value = this.#at.get(ancestor);
      if (value !== undefined) return value;
    }
    return this.#at.get(path);
  }

  hasBelow(path: string): boolean {
    return this.#above.has(path);
  }
}
