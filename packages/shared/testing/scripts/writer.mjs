// Writes into a folder until it is killed: node writer.mjs FOLDER PAUSE_MS
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '', pauseMs = '0'] = process.argv.slice(2);
const lineOf = (round) => `${round} ${'x'.repeat(5000)} ${round}\n`;
let round = 0;

function write() {
  round += 1;
  writeFileSync(join(folder, 'replaced.txt.new'), lineOf(round).repeat(1 + (round % 40)));
  renameSync(join(folder, 'replaced.txt.new'), join(folder, 'replaced.txt'));
  appendFileSync(join(folder, 'appended.txt'), lineOf(round));
  if (round === 1) process.stdout.write('ready\n');
  setTimeout(write, Number(pauseMs) * Math.random());
}

write();
