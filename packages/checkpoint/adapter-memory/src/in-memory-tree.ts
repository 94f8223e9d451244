import { ancestorsOf } from '@cleveragents/checkpoint-domain';
import { parseRelativePath, type RelativePath, ValidationError } from '@cleveragents/shared-kernel';

export type InMemoryNode =
  | { readonly kind: 'file'; readonly mode: number; readonly bytes: Uint8Array }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'directory'; readonly mode: number };

/**
 * A directory without a disk: what an {@link InMemorySnapshotStore} captures and restores. Paths are relative, and links are
 * never followed.
 */
export class InMemoryTree {
  readonly #nodes = new Map<RelativePath, InMemoryNode>();
  #ignored: readonly RelativePath[] = [];

  /** Replaces whatever lies there; makes the parents. Text is written as UTF-8. */
  write(path: string, content: string | Uint8Array, mode = 0o644): void {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content.slice();
    this.put(path, { kind: 'file', mode, bytes });
  }

  /** Replaces whatever lies there, a directory excepted, whose mode it sets. */
  put(path: string, node: InMemoryNode): void {
    const parsed = parseRelativePath(path);
    for (const ancestor of ancestorsOf(parsed) as RelativePath[])
      if (this.#nodes.get(ancestor)?.kind !== 'directory')
        this.#nodes.set(ancestor, { kind: 'directory', mode: 0o755 });
    if (node.kind !== 'directory') this.remove(parsed);
    this.#nodes.set(parsed, node);
  }

  /** With everything below. Nothing there: nothing happens. */
  remove(path: string): void {
    const parsed = parseRelativePath(path);
    for (const one of [...this.#nodes.keys()])
      if (one === parsed || one.startsWith(`${parsed}/`)) this.#nodes.delete(one);
  }

  /** @throws ValidationError when there is no file or directory. */
  changeMode(path: string, mode: number): void {
    const parsed = parseRelativePath(path);
    const node = this.#nodes.get(parsed);
    if (node === undefined || node.kind === 'link')
      throw new ValidationError(`no file or directory at ${JSON.stringify(path)}`);
    this.#nodes.set(parsed, { ...node, mode });
  }

  /** From now on exactly these paths, and what lies below them, are ignored. */
  ignore(paths: readonly string[]): void {
    this.#ignored = paths.map(parseRelativePath);
  }

  isIgnored(path: string): boolean {
    return this.#ignored.some((ignored) => path === ignored || path.startsWith(`${ignored}/`));
  }

  get(path: RelativePath): InMemoryNode | null {
    return this.#nodes.get(path) ?? null;
  }

  /** Sorted by path: a directory before what lies in it. */
  entries(): readonly (readonly [path: RelativePath, node: InMemoryNode])[] {
    return [...this.#nodes].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}
