// An editor that saves a file when told to: a line of JSON in (`EditorSave`), `saved` out.
import { closeSync, openSync, readdirSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createInterface } from 'node:readline';

/** Without giving up the processor: moments count. */
function spinUntil(isOver, longestMs) {
  const deadline = performance.now() + longestMs;
  while (!isOver() && performance.now() < deadline);
}

function isThere(beginning) {
  const name = basename(beginning);
  return readdirSync(dirname(beginning)).some((other) => other.startsWith(name));
}

function save({ path, content, how, waitsFor, delayMs }) {
  if (waitsFor !== null) spinUntil(() => isThere(waitsFor), 2000);
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
  save(JSON.parse(line));
  process.stdout.write('saved\n');
});
