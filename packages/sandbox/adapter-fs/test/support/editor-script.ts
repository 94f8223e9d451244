// An editor that saves a file when told to: a line of JSON in, `saved` out.
import { closeSync, openSync, readdirSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';

export interface Save {
  readonly path: string;
  readonly content: string;
  /** `rename`: a temporary file takes the place of the old one; `in-place`: truncated, then written. */
  readonly how: 'rename' | 'in-place';
  /** Begins to count when a name that begins so appears beside the file; null: at once. */
  readonly waitsFor: string | null;
  readonly delayMs: number;
}

/** Without giving up the processor: moments count. */
function spinUntil(isOver: () => boolean, longestMs: number): void {
  const deadline = performance.now() + longestMs;
  while (!isOver() && performance.now() < deadline);
}

function save({ path, content, how, waitsFor, delayMs }: Save): void {
  if (waitsFor !== null)
    spinUntil(() => readdirSync(dirname(path)).some((name) => name.startsWith(waitsFor)), 2000);
  spinUntil(() => false, delayMs);
  if (how === 'rename') {
    writeFileSync(`${path}.editor`, content);
    renameSync(`${path}.editor`, path);
  } else {
    const handle = openSync(path, 'w');
    writeSync(handle, content);
    closeSync(handle);
  }
}

process.stdout.write('ready\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  save(JSON.parse(line) as Save);
  process.stdout.write('saved\n');
});
