import type { LentFile } from '@cleveragents/shared-kernel';
import type { Pin, Pinning } from './rooted-pinning.ts';

/** Each is an open descriptor, of which a process may have a thousand. */
const MOST_LENT_DIRECTORIES = 256;

/** How many directories one walk holds for other threads. */
export class Lending {
  #left: number;

  constructor({ isForAllThreads }: Pinning) {
    this.#left = isForAllThreads ? MOST_LENT_DIRECTORIES : 0;
  }

  take(): boolean {
    if (this.#left === 0) return false;
    this.#left--;
    return true;
  }

  giveBack(): void {
    this.#left++;
  }
}

/** A directory that the walk holds, and after it those who read its files in other threads. */
export class WalkedDirectory {
  readonly pin: Pin;
  readonly #lending: Lending;
  #isWalked = true;
  #lentFiles = 0;

  constructor(pin: Pin, lending: Lending) {
    this.pin = pin;
    this.#lending = lending;
  }

  lend(name: string): LentFile | undefined {
    const address = `${this.pin.address}/${name}`;
    if (this.#lentFiles === 0 && !this.#lending.take()) return undefined;
    this.#lentFiles++;
    return new FileOfDirectory(address, this);
  }

  takeBack(): void {
    if (--this.#lentFiles > 0) return;
    this.#lending.giveBack();
    if (!this.#isWalked) this.pin.release();
  }

  /** The walk is done with it. */
  leave(): void {
    this.#isWalked = false;
    if (this.#lentFiles === 0) this.pin.release();
  }
}

class FileOfDirectory implements LentFile {
  readonly address: string;
  #directory: WalkedDirectory | undefined;

  constructor(address: string, directory: WalkedDirectory) {
    this.address = address;
    this.#directory = directory;
  }

  release(): void {
    this.#directory?.takeBack();
    this.#directory = undefined;
  }
}
