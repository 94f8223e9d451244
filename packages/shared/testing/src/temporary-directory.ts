import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own for a test. Its real path, so that it compares equal with what git and the system say. */
export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
  /** Again: nothing. */
  remove(): Promise<void>;
}

const present = new Set<string>();

/** Removed when the tests of the file are done, or when the process ends; sooner by `remove` or `await using`. */
export function temporaryDirectory(prefix = 'cleveragents-test-'): TemporaryDirectory {
  const path = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  present.add(path);
  const remove = async (): Promise<void> => {
    await Promise.resolve();
    removeNow(path);
  };
  return { path, remove, [Symbol.asyncDispose]: remove };
}

function removeNow(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  present.delete(path);
}

function removeAll(): void {
  for (const path of present) removeNow(path);
}

const { afterAll } = globalThis as { afterAll?: (hook: () => void) => void };
if (afterAll === undefined) process.on('exit', removeAll);
else afterAll(removeAll);
