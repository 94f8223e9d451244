import type { RootedWorld } from '@cleveragents/shared-kernel/contract';
import { InMemoryRootedFileSystem } from './in-memory-rooted-file-system.ts';
import type { Directory, Node } from './in-memory-tree.ts';
import { directory } from './in-memory-tree.ts';

/** The world that the contract of `RootedFileSystem` asks for, in memory. */
export class InMemoryRootedWorld implements RootedWorld {
  readonly #world = directory();
  readonly files: InMemoryRootedFileSystem;

  constructor() {
    this.#directory(['world', 'sandbox']);
    this.files = new InMemoryRootedFileSystem({ world: this.#world, root: ['world', 'sandbox'] });
  }

  absolute(path: string): string {
    return `/world/${path}`;
  }

  async plantFile(path: string, contents: string | Uint8Array, mode = 0o644): Promise<void> {
    const bytes = typeof contents === 'string' ? new TextEncoder().encode(contents) : contents.slice();
    this.#plant(path, { kind: 'file', bytes, mode });
  }

  async plantDirectory(path: string): Promise<void> {
    this.#directory(namesOf(path));
  }

  async plantLink(path: string, target: string): Promise<void> {
    this.#plant(path, { kind: 'link', target });
  }

  async plantHardLink(path: string, existing: string): Promise<void> {
    const node = this.#find(existing);
    if (node === undefined) throw new Error(`there is no ${existing}`);
    this.#plant(path, node);
  }

  async plantFifo(path: string): Promise<void> {
    this.#plant(path, { kind: 'other' });
  }

  async contents(path: string): Promise<string | undefined> {
    const node = this.#find(path);
    if (node?.kind === 'link') return node.target;
    return node?.kind === 'file' ? new TextDecoder().decode(node.bytes) : undefined;
  }

  async mode(path: string): Promise<number> {
    const node = this.#find(path);
    return node?.kind === 'file' ? node.mode : 0o755;
  }

  async names(path: string): Promise<readonly string[]> {
    return [...this.#directory(namesOf(path)).entries.keys()].sort();
  }

  #plant(path: string, node: Node): void {
    const names = namesOf(path);
    this.#directory(names.slice(0, -1)).entries.set(names.at(-1) ?? '', node);
  }

  #find(path: string): Node | undefined {
    const names = namesOf(path);
    return this.#directory(names.slice(0, -1)).entries.get(names.at(-1) ?? '');
  }

  #directory(names: readonly string[]): Directory {
    let here = this.#world;
    for (const name of names) {
      const next = here.entries.get(name) ?? directory();
      if (next.kind !== 'directory') throw new Error(`${name} is no directory`);
      here.entries.set(name, next);
      here = next;
    }
    return here;
  }
}

function namesOf(path: string): readonly string[] {
  return ['world', ...path.split('/').filter((name) => name !== '')];
}
