import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import { traversalRefused } from '@cleveragents/shared-kernel';
import type { SystemCalls } from './rooted-calls.ts';
import type { Pin, Pinning } from './rooted-pinning.ts';

/** Linux's flag for a descriptor that only names a thing: opening blocks on nothing and starts nothing. Node has no name for it. */
const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const DESCRIPTORS = '/proc/self/fd';

/** Whether this system can name a thing by a descriptor and tell where the thing lies. */
export function canPinPaths(calls: SystemCalls): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const descriptor = calls.open('/', O_PATH | O_DIRECTORY);
    try {
      return calls.readlink(`${DESCRIPTORS}/${descriptor}`) === '/';
    } finally {
      calls.close(descriptor);
    }
  } catch {
    // Any refusal, of whatever kind, means the same: this form cannot be used here.
    return false;
  }
}

/**
 * Opens first and asks afterwards where the opened thing lies; the descriptor goes on naming that thing whatever becomes
 * of the path, so there is no moment between the check and the use.
 */
export function pinnedPaths(root: string, calls: SystemCalls): Pinning {
  const prefix = root === '/' ? root : `${root}/`;

  function hold(path: string, flags: number): Pin {
    const descriptor = calls.open(path, O_PATH | flags);
    try {
      const place = calls.readlink(`${DESCRIPTORS}/${descriptor}`);
      if (place !== root && !place.startsWith(prefix)) throw traversalRefused();
      const path = place === root ? '' : place.slice(prefix.length);
      return new DescriptorPin(descriptor, path, calls);
    } catch (error) {
      calls.close(descriptor);
      throw error;
    }
  }

  return {
    confinement: 'pinned',
    isForAllThreads: true,
    reach: (path, from) => hold(`${from?.address ?? root}/${path}`, 0),
    reachEntry: (name, from) => hold(`${from.address}/${name}`, O_NOFOLLOW),
    openForReading: (pin) => calls.open(pin.address, O_RDONLY | O_NONBLOCK),
    openChild: (name, directory) =>
      calls.open(`${directory.address}/${name}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
  };
}

class DescriptorPin implements Pin {
  readonly path: string;
  readonly stats: Stats;
  readonly #descriptor: number;
  readonly #address: string;
  readonly #calls: SystemCalls;
  #held = true;

  constructor(descriptor: number, path: string, calls: SystemCalls) {
    this.#descriptor = descriptor;
    this.#address = `${DESCRIPTORS}/${descriptor}`;
    this.#calls = calls;
    this.path = path;
    this.stats = calls.fstat(descriptor);
  }

  /** The number may name something else as soon as it is closed, so from then on there is no address. */
  get address(): string {
    if (!this.#held) throw new Error('A pin was used after its release');
    return this.#address;
  }

  release(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#calls.close(this.#descriptor);
  }
}
