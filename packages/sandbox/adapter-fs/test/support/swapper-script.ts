// Swaps a folder for a link and back until it is killed: node swapper-script FOLDER TARGET
import { renameSync, symlinkSync, unlinkSync } from 'node:fs';

const [folder = '', target = ''] = process.argv.slice(2);
const aside = `${folder}.aside`;

function swap(): void {
  for (let round = 0; round < 50; round++) {
    renameSync(folder, aside);
    symlinkSync(target, folder);
    for (const until = performance.now() + Math.random(); performance.now() < until;);
    unlinkSync(folder);
    renameSync(aside, folder);
    for (const until = performance.now() + Math.random(); performance.now() < until;);
  }
  setImmediate(swap);
}

process.stdout.write('ready\n');
swap();
