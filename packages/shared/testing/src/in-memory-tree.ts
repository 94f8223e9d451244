import type { RootedPath } from '@cleveragents/shared-kernel';
import { rootedFileError, traversalRefused } from '@cleveragents/shared-kernel';

export interface MemoryFile {
  readonly kind: 'file';
  readonly bytes: Uint8Array;
  readonly mode: number;
}

export interface Directory {
  readonly kind: 'directory';
  readonly entries: Map<string, Node>;
}

/** `other` stands for what can be named but not read: a FIFO, a device. */
export type Node =
  MemoryFile | Directory | { readonly kind: 'link'; readonly target: string } | { readonly kind: 'other' };

export interface Reached {
  readonly node: Node;
  /** From the root, once links were followed. */
  readonly names: readonly string[];
  readonly parent?: Directory | undefined;
}

const MAXIMUM_LINKS = 40;

export function directory(): Directory {
  return { kind: 'directory', entries: new Map() };
}

/**
 * What a path names, as the system would resolve it in `world`; a refusal as soon as what was reached lies outside `root`
 * for good.
 */
export function follow(path: RootedPath, world: Directory, root: readonly string[]): Reached {
  const reached: Step[] = [{ name: '', node: world }];
  // How many of the segments ahead were put there by links.
  let fromLinks = 0;
  const ahead = [...root, ...path.segments, ...(path.namesDirectory ? ['.'] : [])];
  for (let links = 0; ahead.length > 0;) {
    const segment = ahead.shift() ?? '';
    const isFromLink = fromLinks > 0;
    if (isFromLink) fromLinks--;
    if (segment === '') continue;
    const here = reached.at(-1)?.node;
    if (here?.kind !== 'directory') {
      refuseOutside(reached, root);
      throw rootedFileError('NOT_A_DIRECTORY', path.raw, 'passes through something that is not a directory');
    }
    if (segment === '.') continue;
    if (segment === '..') {
      if (reached.length > 1) reached.pop();
      continue;
    }
    const node = here.entries.get(segment);
    if (node?.kind === 'link') {
      if (++links > MAXIMUM_LINKS)
        throw rootedFileError('PATH_INVALID', path.raw, 'passes through a loop of links');
      if (node.target.startsWith('/')) reached.length = 1;
      const target = node.target.split('/');
      ahead.unshift(...target);
      fromLinks += target.length;
      continue;
    }
    if (node === undefined)
      throw missing(path, [...reached.slice(1).map(({ name }) => name), segment, ...ahead], root, isFromLink);
    reached.push({ name: segment, node });
  }
  refuseOutside(reached, root);
  return {
    node: reached.at(-1)?.node ?? world,
    names: reached.slice(root.length + 1).map(({ name }) => name),
    parent: parentOf(reached),
  };
}

interface Step {
  readonly name: string;
  readonly node: Node;
}

function parentOf(reached: readonly Step[]): Directory | undefined {
  const parent = reached.at(-2)?.node;
  return parent?.kind === 'directory' ? parent : undefined;
}

function refuseOutside(reached: readonly Step[], root: readonly string[]): void {
  if (root.some((name, index) => reached[index + 1]?.name !== name)) throw traversalRefused();
}

function missing(
  path: RootedPath,
  names: readonly string[],
  root: readonly string[],
  viaLink: boolean,
): Error {
  const place: string[] = [];
  for (const name of names) {
    if (name === '..') place.pop();
    else if (name !== '.' && name !== '') place.push(name);
  }
  if (root.some((name, index) => place[index] !== name)) return traversalRefused();
  return rootedFileError(
    'FILE_NOT_FOUND',
    path.raw,
    viaLink ? 'was not found behind a link' : 'was not found',
  );
}
